import Foundation
import HTTPTypes
import HttpConvFormats
import HttpConversationTesting

@testable import HttpCClient
@testable import HttpCCommand
@testable import HttpConvAuthFlows
@testable import HttpConvFiles
@testable import HttpConversation

/// Fields of a response: challenges, cookies, addresses, ranges, names of files.
let messageTargets: [FuzzTarget] = [
    FuzzTarget("challenges", challenges), FuzzTarget("cookies", cookies), FuzzTarget("urls", urls),
    FuzzTarget("fields", fields), FuzzTarget("suffixes", suffixes),
]

private func challenges(_ bytes: [UInt8]) throws {
    let text = bytes.text
    let read = ChallengeParser.parse(text).challenges
    let count = read.reduce(0) { $0 + 1 + $1.parameters.count }
    try require(count <= bytes.count + 1, "each challenge and parameter takes a byte")
    let again = ChallengeParser.parse(read.map(written).joined(separator: ", "))
    try require(again.isComplete, "what was written is a list of challenges")
    try requireEqual(again.challenges, read, "challenges that are written are read back")
    for challenge in read {
        let question = try AuthenticationChallenge.testing(written(challenge), at: "https://sp.example/a/b?c")
        guard let parameters = DigestParameters(question) else { continue }
        let computation = DigestComputation(
            algorithm: parameters.algorithm, key: "key", nonce: parameters.nonce, count: "00000001", clientNonce: "c",
            quality: parameters.qualities.first, uri: "/a/b?c")
        try require(
            !computation.response(method: "GET", bodyHash: nil).isEmpty, "a challenge that is taken is answered")
    }
    _ = AuthenticationInfo(HTTPResponse(status: .ok, headerFields: [.authenticationInfo: text]))
}

/// The challenge as a correct server writes it (RFC 9110 §11.2).
private func written(_ challenge: OfferedChallenge) -> String {
    if let token68 = challenge.token68 { return "\(challenge.scheme) \(token68)" }
    let parameters = challenge.parameters.map { parameter in
        let value = parameter.value.utf8.flatMap { byte in
            byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), byte] : [byte]
        }
        return "\(parameter.name)=\"\(value.text)\""
    }
    return parameters.isEmpty ? challenge.scheme : "\(challenge.scheme) \(parameters.joined(separator: ", "))"
}

/// A line with the URL, then one with each `Set-Cookie`.
private func cookies(_ bytes: [UInt8]) throws {
    let (line, rest) = bytes.lineAndRest
    let clock = TestClock(at: Date(timeIntervalSince1970: 1_700_000_000))
    let list = PublicSuffixList(parsing: "com\nco.uk\n*.ck\n!www.ck\n")
    guard let target = try? TargetURL(line) else { return }
    let store = CookieStore(suffixes: list, clock: clock)
    store.store(setCookie: rest.split(separator: 0x0A).map { Array($0).text }, from: target)
    let snapshot = store.snapshot
    for cookie in snapshot.cookies {
        try requireEqual(CookieRules.checked(cookie), cookie, "what is stored may be stored")
        try require(cookie.concerns(target.origin), "a server sets cookies for itself")
        try require(!list.isPublicSuffix(cookie.domain) || cookie.isHostOnly, "no cookie is for a public suffix")
    }
    // A tab inside of a value is sent back as it came (RFC 6265bis §5.6).
    let sent = store.cookies(for: target).map { ($0.name + $0.value).replacing("\t", with: "") }
    try require(!sent.contains { $0.hasControls }, "no cookie ends the field")
    let copy = CookieStore(snapshot, suffixes: list, clock: clock)
    try requireEqual(copy.snapshot, snapshot, "a snapshot is stored as it is")
    if let date = HTTPDate.parse(line) {
        try require(date.timeIntervalSince1970.isFinite, "a date is a date")
    }
    let file = NetscapeCookies.format(snapshot.cookies)
    try requireEqual(
        NetscapeCookies.format(NetscapeCookies.parse(file, suffixes: list)), file, "a jar is read back as it is")
}

/// A line with a URL, then one with a reference.
private func urls(_ bytes: [UInt8]) throws {
    let (line, rest) = bytes.lineAndRest
    let base = try TargetURL("https://base.example:8443/a/b;c/d?q=1#f")
    _ = ProfileMatchProbe.check(line)
    for text in [line, rest.text] {
        if let url = try? TargetURL(text) { try checkURL(url) }
        guard let resolved = try? base.resolving(text) else { continue }
        try checkURL(resolved)
        let again = try base.resolving(resolved.absoluteString)
        try requireEqual(again.requestTarget, resolved.requestTarget, "what is resolved resolves to itself")
        try requireEqual(again.origin, resolved.origin, "what is resolved stays where it is")
    }
    guard let from = try? TargetURL(line) else { return }
    let head = HTTPResponse(status: .found, headerFields: [.location: rest.text])
    if let target = try? Redirect.destination(of: head, from: from) {
        try require(target.userinfo == nil, "no redirect brings a login")
        try checkURL(target)
    }
    if let other = try? from.with(query: rest.text) {
        try requireEqual(other.origin, from.origin, "a query is no host")
    }
    if let other = try? from.with(path: rest.text) { try requireEqual(other.origin, from.origin, "a path is no host") }
    if let other = try? from.appending(query: rest.text) {
        try requireEqual(other.path, from.path, "a query leaves the path")
    }
}

private func checkURL(_ url: TargetURL) throws {
    try require(!url.description.hasControls, "what is shown has no control characters")
    guard url.requestTarget != "*" else { return }
    try require(url.requestTarget.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a target is visible ASCII")
    let again = try TargetURL(url.absoluteString)
    try requireEqual(again.origin, url.origin, "a URL that is written has its origin")
    try requireEqual(again.requestTarget, url.requestTarget, "a URL that is written has its target")
    try requireEqual(again.fragment, url.fragment, "a URL that is written has its fragment")
    let foundation = url.foundationURL
    try requireEqual(foundation.scheme, url.origin.scheme.rawValue, "Foundation reads the same scheme")
    let host = foundation.host(percentEncoded: false)?.lowercased().trimmingCharacters(in: ["[", "]"])
    try requireEqual(host, url.origin.host, "Foundation reads the same host")
    try requireEqual(
        foundation.port ?? url.origin.scheme.defaultPort, url.origin.port, "Foundation reads the same port")
}

private enum ProfileMatchProbe {
    static func check(_ text: String) -> Bool {
        guard let match = try? ProfileMatch(text), let url = match.url else { return false }
        return match.matches(url)
    }
}

/// Further fields of a response that this library reads.
private func fields(_ bytes: [UInt8]) throws {
    let text = bytes.text
    if case .part(let first, let last, let total)? = ContentRange(text) {
        try require(first >= 0 && first <= last && last < total ?? .max, "a range is within its whole")
    }
    _ = DispositionParameters.parse(text)
    var response = HTTPResponse(status: .ok)
    response.headerFields[.contentDisposition] = text
    if let name = RemoteName.of(response) {
        try require(!name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 || $0 == 0x0A }, "a name is no path")
        try require(name.utf8.count <= 200 && name != "." && name != "..", "a name is a name")
        try require(!name.hasPrefix(".") && !name.hasPrefix("-"), "a name is neither hidden nor an option")
    }
    try require(!TerminalText.sanitise(text).hasControls, "what is shown has no control characters")
    if let date = HTTPDate.parse(text) { try require(date.timeIntervalSince1970.isFinite, "a date is a date") }
}

/// A line with a domain, then a list.
private func suffixes(_ bytes: [UInt8]) throws {
    let (line, rest) = bytes.lineAndRest
    let list = PublicSuffixList(parsing: rest.text)
    let isSuffix = list.isPublicSuffix(line)
    try requireEqual(list.isPublicSuffix(line), isSuffix, "an answer is always the same")
    if !line.utf8.contains(UInt8(ascii: ".")) { try require(isSuffix, "a single label is a public suffix") }
}

// swift-format-ignore: NeverForceUnwrap
extension HTTPField.Name {
    fileprivate static let authenticationInfo = Self("Authentication-Info")!
}
