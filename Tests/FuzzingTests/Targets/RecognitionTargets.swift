import HTTPTypes
import HttpConvFormats
import HttpConversation

@testable import HttpConvAuthFlows

/// Answers that may be logins.
let recognitionTargets: [FuzzTarget] = [FuzzTarget("logins", logins)]

/// Lines: redirects, each with its status and its `Location`; then the final status; then fields until an empty line;
/// then the page.
private func logins(_ bytes: [UInt8]) throws {
    let asked = try TargetURL("https://app.example/report?id=1")
    var (line, rest) = bytes.lineAndRest
    var place = asked
    var recognition = LoginRecognition(of: asked)
    for _ in 0..<10 {
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let status = Int(words[0]), (300..<400).contains(status) else { break }
        guard let destination = try? place.resolving(String(words[1])), destination.userinfo == nil else { return }
        let head = HTTPResponse(status: .init(code: status))
        if let login = recognition.recognize(redirect: head, from: place, to: destination) { try check(login) }
        place = destination
        (line, rest) = rest.lineAndRest
    }
    var head = HTTPResponse(status: .init(code: Int(line).map { min(max($0, 200), 599) } ?? 200))
    while true {
        (line, rest) = rest.lineAndRest
        guard let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon])) else { break }
        head.headerFields.append(HTTPField(name: name, value: String(line[line.index(after: colon)...])))
    }
    if let login = LoginRecognition.recognize(challenge: head, at: place) { try check(login) }
    guard let login = recognition.recognize(page: rest, of: head, at: place) else { return }
    try check(login)
    try require(PageHead.isPage(head), "only pages are held back")
}

private func check(_ login: RecognizedLogin) throws {
    try require(!login.message.hasControls && !login.evidence.hasControls, "what is shown has no control characters")
    try require(!login.message.contains("?"), "no query is shown")
    if case .webLogin(let configuration)? = login.configuration {
        for case .redirect(let target) in configuration.challenges {
            try require(target.query == nil && target.userinfo == nil, "a challenge has no query")
        }
    }
}
