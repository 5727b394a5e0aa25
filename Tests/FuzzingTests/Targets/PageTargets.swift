import Foundation
import HTTPTypes
import HttpConversationTesting
import Synchronization

@testable import HttpConvAuthFlows
@testable import HttpConvFormats
@testable import HttpConvTranscripts
@testable import HttpConvWebStrategies
@testable import HttpConversation

/// Web pages, and exports of conversations.
let pageTargets: [FuzzTarget] = [
    FuzzTarget("forms", forms), FuzzTarget("har", har), FuzzTarget("deflate", deflate),
]

/// A line with the `Content-Type`, then a page.
private func forms(_ bytes: [UInt8]) throws {
    let (type, rest) = bytes.lineAndRest
    let page = HTMLPage(rest, contentType: type)
    // The form beyond the limit ends the page.
    try require(page.forms.count <= HTMLPage.Limit.forms + 1, "forms are counted")
    try require(page.links.count <= HTMLPage.Limit.links, "links are counted")
    try require(page.forms.reduce(0) { $0 + $1.fields.count } <= HTMLPage.Limit.fields + 1, "fields are counted")
    try require(page.text.count <= HTMLPage.Limit.text, "text is cut")
    _ = SAML2Challenge.hasField(rest, contentType: type)
    let start = try TargetURL("https://idp.example/login/page?x=1")
    let login = WebLogin(.saml2, start: start, cookieTargets: [start], returnsCookies: true) {
        $0.hasPrefix("https://sp.example/done")
    }
    let loaded = LoadedPage(url: start, status: 200, html: page)
    try require(!loaded.message.hasControls, "what is shown has no control characters")
    for form in page.forms {
        for button in [nil] + form.fields.filter({ $0.kind == .submit }).prefix(3).map(Optional.some) {
            try checkSubmission(form, button, loaded, login)
        }
    }
    let pairs = FormEncoding.decode(rest.text[...])
    let again = FormEncoding.decode(FormEncoding.encode(pairs)[...])
    try require(
        pairs.filter { !$0.name.isEmpty || !$0.value.isEmpty }.elementsEqual(
            again.filter { !$0.name.isEmpty || !$0.value.isEmpty }, by: ==),
        "a query that is written is read back")
}

private func checkSubmission(
    _ form: HTMLForm, _ button: HTMLField?, _ page: LoadedPage, _ login: WebLogin
) throws {
    guard let submission = try? FormSubmission(form, button: button, on: page, for: login),
        let navigation = try? submission.navigation([:], for: nil)
    else { return }
    if case .page(let target) = navigation.destination {
        try require(target.userinfo == nil, "no form is sent with a login in its URL")
        try requireEqual(target.origin, submission.action.origin, "fields are no host")
    }
    if let type = navigation.body?.contentType { try require(!type.hasControls, "no field ends its line") }
}

/// Data that was compressed with DEFLATE, as it is and as a body, and a message of SAML2 in it.
private func deflate(_ bytes: [UInt8]) throws {
    let start = DeflatedText.start(of: bytes, limit: 1000)
    try require(start.count <= 1000, "the output is limited")
    let whole = DeflatedText.start(of: bytes, limit: 4000)
    try require(whole.starts(with: start), "a limit cuts the same output")
    try require(DeflatedText.start(ofBody: bytes, limit: 1000).count <= 1000, "the output of a body is limited")
    let text = Data(bytes).base64EncodedString()
    _ = (SAML2Message.isLogout(text, by: .redirect), SAML2Message.isLogout(text, by: .post))
    _ = SAML2Message.isLogout(bytes.text, by: .post)
}

/// A response in lines: status, then fields. Its record is written as an archive and as a page.
private func har(_ bytes: [UInt8]) throws {
    let (line, rest) = bytes.lineAndRest
    if bytes.first == UInt8(ascii: "{") {
        if let transcript = try? JSONDecoder().decode(Transcript.self, from: Data(bytes)) { try check(transcript) }
        return
    }
    var fields = HTTPFields()
    for line in rest.split(separator: 0x0A) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(Array(line[..<colon]).text)
        else { continue }
        fields.append(HTTPField(name: name, value: Array(line[(colon + 1)...]).text))
    }
    let status = HTTPResponse.Status(code: Int(line.prefix(3)).map { max(200, $0) } ?? 200, reasonPhrase: line)
    let head = HTTPResponse(status: status, headerFields: fields)
    let transport = OneAnswer(head)
    let recorder = TranscriptRecorder()
    let manager = testManager(transport) { $0.observers.add(recorder) }
    try completed { _ = try await manager.data(for: "https://server.example/a?token=secret-in-query") }
    try check(recorder.transcript)
    let shown = recorder.transcript.har() + recorder.transcript.html() + recorder.transcript.description
    try require(!shown.contains("secret-in-query"), "no secret of a URL is shown")
}

private func check(_ transcript: Transcript) throws {
    let archive = transcript.har()
    guard let object = try? JSONSerialization.jsonObject(with: Data(archive.utf8)) as? [String: Any],
        let log = object["log"] as? [String: Any], log["entries"] is [Any]
    else { throw BrokenProperty("an archive is a JSON object with a log of entries") }
    let page = transcript.html()
    try require(!page.utf8.contains(0), "a page has no NUL")
    try requireEqual(
        page.ranges(of: "<script").count, 0, "a page has no script, whatever servers said")
}

/// A transport with a given first answer. All further answers are empty.
private final class OneAnswer: HTTPTransport {
    private let first: Mutex<HTTPResponse?>

    init(_ first: HTTPResponse) { self.first = Mutex(first) }

    var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let head = first.withLock { $0.take() } ?? HTTPResponse(status: .ok)
        return TransportResponse(head: head, body: ResponseBody(bytes: []))
    }

    func shutdown() async {}
}
