import HttpC
import NIOHTTP1
import Testing

@testable import HttpCRelay

/// The decisions about requests, one rule at a time.
@Suite struct RelayGateTests {
    private let keys = RelayKeys()
    private let gate: RelayGate

    init() throws {
        gate = RelayGate(
            place: try TargetDirectory(TargetURL("https://intra.example.com/app/")), authority: "127.0.0.1:4711",
            keys: keys)
    }

    private var secret: String { keys.secret.value }

    private func head(
        _ path: String? = nil, _ method: HTTPMethod = .GET, host: String? = "127.0.0.1:4711",
        version: HTTPVersion = .http1_1, _ fields: [(String, String)] = []
    ) -> HTTPRequestHead {
        var headers = HTTPHeaders(fields)
        if let host { headers.add(name: "Host", value: host) }
        return HTTPRequestHead(version: version, method: method, uri: path ?? "/\(secret)/x", headers: headers)
    }

    private func refused(_ head: HTTPRequestHead) -> HTTPResponseStatus? {
        if case .refuse(let refusal) = gate.judge(head) { refusal.status } else { nil }
    }

    private func forwarded(_ head: HTTPRequestHead) throws -> RelayedRequest {
        guard case .forward(let request) = gate.judge(head) else { throw Refused(verdict: "\(gate.judge(head))") }
        return request
    }

    private struct Refused: Error { let verdict: String }

    // MARK: The secret

    @Test func theSecretOfThePathLetsIn() throws {
        let relayed = try forwarded(head("/\(secret)/repo.git/info/refs?service=x"))
        #expect(relayed.url.absoluteString == "https://intra.example.com/app/repo.git/info/refs?service=x")
        #expect(relayed.base == "/\(secret)")
        #expect(try forwarded(head("/\(secret)")).url.absoluteString == "https://intra.example.com/app/")
        #expect(
            try forwarded(head("/\(secret)?a=b")).url.absoluteString == "https://intra.example.com/app/?a=b")
    }

    @Test func theSecretOfAFieldLetsIn() throws {
        let relayed = try forwarded(head("/x", [("Httpc-Relay-Secret", secret)]))
        #expect(relayed.url.absoluteString == "https://intra.example.com/app/x")
        #expect(relayed.base.isEmpty)
        #expect(!relayed.request.headerFields.contains { $0.value.contains(secret) })
    }

    @Test func nothingElseLetsIn() {
        let wrong = String(repeating: "0", count: secret.count)
        #expect(refused(head("/x")) == .forbidden)
        #expect(refused(head("/\(wrong)/x")) == .forbidden)
        #expect(refused(head("/\(secret)0/x")) == .forbidden)
        #expect(refused(head("/\(secret.dropLast())/x")) == .forbidden)
        #expect(refused(head("/\(secret.uppercased())/x")) == .forbidden)
        #expect(refused(head("/x/\(secret)/y")) == .forbidden)
        #expect(refused(head("/x?\(secret)")) == .forbidden)
        #expect(refused(head("/x", [("Httpc-Relay-Secret", wrong)])) == .forbidden)
        #expect(refused(head("/x", [("Httpc-Relay-Secret", wrong), ("Httpc-Relay-Secret", secret)])) == .forbidden)
        #expect(
            refused(head("/x", [("Cookie", "\(keys.cookieName)=\(wrong)"), ("Sec-Fetch-Site", "none")])) == .forbidden)
        #expect(
            refused(head("/x", [("Cookie", "x=\(keys.cookieValue.value)"), ("Sec-Fetch-Site", "none")])) == .forbidden)
        #expect(refused(head("/x", [("Authorization", "Bearer \(secret)")])) == .forbidden)
    }

    /// The target must not learn it.
    @Test func theSecretIsOnlyAtTheStartOfThePath() {
        let encoded = secret.utf8.map { "%" + String($0, radix: 16) }.joined()
        for path in ["/x?next=/\(secret)/y", "/\(secret)/y", "/x?\(encoded)", "/x;\(encoded)/y", "/x?%\(secret)"] {
            #expect(refused(head("/\(secret)\(path)")) == .badRequest, "\(path)")
        }
        #expect(refused(head("/x?next=/\(secret)/y", [("Httpc-Relay-Secret", secret)])) == .badRequest)
        #expect(refused(head("/\(secret)/x?next=/\(secret.dropLast())/y")) == nil)
    }

    @Test func everyRelayHasKeysOfItsOwn() {
        let other = RelayKeys()
        #expect(other.secret.value != secret && secret.utf8.count == 48)
        #expect(other.cookieName != keys.cookieName && other.cookieValue.value != keys.cookieValue.value)
    }

    // MARK: Browsers

    @Test func aBrowserEntersOnceAndGoesOnWithACookie() throws {
        let entry = gate.judge(
            head("/\(secret)/x?y=1", [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Site", "none")]))
        guard case .enter("/x?y=1") = entry else { throw Refused(verdict: "\(entry)") }
        #expect(keys.setCookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        let cookie = "a=b; \(keys.cookieName)=\(keys.cookieValue.value); c=d"
        let relayed = try forwarded(head("/x?y=1", [("Cookie", cookie), ("Sec-Fetch-Site", "same-origin")]))
        #expect(relayed.request.headerFields[.cookie] == nil)
    }

    /// A redirect to the path behind the secret must not lead to another server.
    @Test(arguments: ["//evil.example/", "/\\evil.example/", "/..//evil.example", "/%2e%2e/"])
    func theWayInLeadsNowhereElse(path: String) {
        #expect(
            refused(head("/\(secret)\(path)", [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Site", "none")]))
                == .badRequest)
    }

    /// In a browser without these fields, a page of another port would have the cookie, too.
    @Test func theCookieAloneIsNotEnough() {
        let cookie = "\(keys.cookieName)=\(keys.cookieValue.value)"
        #expect(refused(head("/x", [("Cookie", cookie)])) == .forbidden)
    }

    /// Requests that a page of another server caused, even with the secret.
    @Test(arguments: [
        [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "")],
        [("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "cross-site")],
        [("Origin", "https://evil.example")], [("Origin", "null")], [("Origin", "http://127.0.0.1:4712")],
        [("Origin", "http://127.0.0.1")], [("Origin", "https://127.0.0.1:4711")], [("Origin", "http://localhost:4711")],
        [("Origin", "null"), ("Sec-Fetch-Site", "none")], [("Origin", "https://intra.example.com")],
        [("Origin", "http://127.0.0.1:4711"), ("Origin", "https://evil.example")],
    ])
    func pagesOfOtherServersAreRefused(fields: [(String, String)]) {
        #expect(refused(head(nil, fields)) == .forbidden)
        #expect(refused(head(nil, .POST, fields)) == .forbidden)
        #expect(refused(head(nil, .OPTIONS, fields)) == .forbidden)
    }

    @Test(arguments: [
        [("Origin", "http://127.0.0.1:4711")], [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")],
    ])
    func pagesOfTheTargetAreNot(fields: [(String, String)]) throws {
        let relayed = try forwarded(head(nil, .POST, fields))
        #expect(relayed.request.headerFields[values: .init("Origin")!] == ["https://intra.example.com"])
    }

    @Test(arguments: [[("Service-Worker", "script")], [("Sec-Fetch-Dest", "serviceworker")]])
    func serviceWorkersAreRefused(fields: [(String, String)]) {
        #expect(refused(head(nil, fields)) == .forbidden)
    }

    // MARK: WebSockets

    private static let handshake = [
        ("Upgrade", "websocket"), ("Connection", "keep-alive, Upgrade"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]

    @Test func webSocketsAreForwarded() throws {
        #expect(try forwarded(head(nil, Self.handshake)).body == .webSocket)
        let cookie = ("Cookie", "\(keys.cookieName)=\(keys.cookieValue.value)")
        let relayed = try forwarded(head("/x", Self.handshake + [cookie, ("Origin", "http://127.0.0.1:4711")]))
        #expect(relayed.body == .webSocket)
        #expect(relayed.request.headerFields[values: .init("Origin")!] == ["https://intra.example.com"])
        #expect(relayed.request.headerFields[.init("Sec-WebSocket-Key")!] == "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(relayed.request.headerFields[.upgrade] == nil && relayed.request.headerFields[.cookie] == nil)
    }

    /// No browser asks for a WebSocket without saying whose page it is.
    @Test func aCookieNeedsOurOwnOrigin() {
        let cookie = ("Cookie", "\(keys.cookieName)=\(keys.cookieValue.value)")
        #expect(refused(head("/x", Self.handshake + [cookie])) == .forbidden)
        for origin in ["null", "http://127.0.0.1:4712", "http://localhost:4711", "https://intra.example.com"] {
            for more in [[], [("Sec-Fetch-Site", "same-origin")]] {
                let fields = Self.handshake + [cookie, ("Origin", origin)] + more
                #expect(refused(head("/x", fields)) == .forbidden)
                #expect(refused(head(nil, fields)) == .forbidden)
            }
        }
        let origin = ("Origin", "http://127.0.0.1:4711")
        #expect(refused(head("/x", Self.handshake + [origin])) == .forbidden)
        #expect(refused(head("/x", Self.handshake + [cookie, origin, origin])) == .forbidden)
    }

    @Test(arguments: [
        ("Upgrade", ["websocket", "h2c"]), ("Connection", []), ("Connection", ["close"]),
        ("Sec-WebSocket-Version", []), ("Sec-WebSocket-Version", ["8"]), ("Sec-WebSocket-Version", ["13", "8"]),
        ("Sec-WebSocket-Key", []), ("Sec-WebSocket-Key", ["short"]),
        ("Sec-WebSocket-Key", ["dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="]), ("Content-Length", ["3"]),
        ("Transfer-Encoding", ["chunked"]),
    ])
    func otherHandshakesAreRefused(name: String, values: [String]) {
        let fields = Self.handshake.filter { $0.0 != name } + values.map { (name, $0) }
        #expect(refused(head(nil, fields)) == .badRequest)
    }

    @Test func onlyGETAsksForAWebSocket() {
        #expect(refused(head(nil, .POST, Self.handshake)) == .badRequest)
    }

    @Test func anotherProtocolIsNotAskedFor() throws {
        let relayed = try forwarded(head(nil, [("Upgrade", "h2c"), ("Connection", "Upgrade")]))
        #expect(relayed.body == .none && relayed.request.headerFields[.upgrade] == nil)
    }

    // MARK: The server's names

    @Test(arguments: [
        "localhost:4711", "127.0.0.1", "127.0.0.1:4712", "127.0.0.1:04711", "[::1]:4711", "evil.example:4711",
        "evil.example", "127.0.0.1:4711.", "intra.example.com", "", "127.0.0.1:4711, evil.example",
    ])
    func otherNamesAreRefused(host: String) {
        #expect(refused(head(host: host)) == .misdirectedRequest)
    }

    @Test func oneNameIsNeeded() {
        #expect(refused(head(host: nil)) == .misdirectedRequest)
        #expect(refused(head(nil, [("Host", "127.0.0.1:4711")])) == .misdirectedRequest)
    }

    // MARK: Requests as such

    @Test(arguments: ["TRACE", "CONNECT", "TRACK"]) func methodsAreRefused(method: String) {
        #expect(refused(head(nil, HTTPMethod(rawValue: method))) == .methodNotAllowed)
    }

    @Test func methodsKeepTheirNames() throws {
        for method in ["M-SEARCH", "PROPFIND", "QUERY"] {
            let given = method == "M-SEARCH" ? HTTPMethod.MSEARCH : HTTPMethod(rawValue: method)
            #expect(try forwarded(head(nil, given)).request.method.rawValue == method)
        }
    }

    @Test(arguments: [HTTPVersion.http1_0, HTTPVersion(major: 2, minor: 0), HTTPVersion(major: 1, minor: 2)])
    func otherVersionsAreRefused(version: HTTPVersion) {
        #expect(refused(head(version: version)) == .httpVersionNotSupported)
    }

    @Test(arguments: [
        "http://127.0.0.1:4711/", "http://intra.example.com/app/x", "intra.example.com:443", "*", "x",
    ])
    func otherFormsOfTargetsAreRefused(target: String) {
        #expect(refused(head(target, [("Httpc-Relay-Secret", secret)])) == .badRequest)
    }

    @Test(arguments: TargetDirectoryTests.escapes.filter { $0.hasPrefix("/") })
    func pathsOutOfTheTargetAreRefused(path: String) {
        #expect(refused(head("/\(secret)\(path)")) == .badRequest)
        #expect(refused(head(path, [("Httpc-Relay-Secret", secret)])) == .badRequest)
    }

    @Test(arguments: [
        [("Content-Length", "3"), ("Transfer-Encoding", "chunked")],
        [("Content-Length", "3"), ("Content-Length", "3")],
        [("Content-Length", "3, 3")], [("Content-Length", "+3")], [("Content-Length", "-3")],
        [("Content-Length", "0x3")], [("Content-Length", "3 ")], [("Content-Length", "99999999999999999999")],
        [("Content-Length", "")], [("Transfer-Encoding", "gzip, chunked")], [("Transfer-Encoding", "identity")],
        [("Transfer-Encoding", "xchunked")], [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
        [("transfer-encoding", "\u{b}chunked")],
    ])
    func ambiguousFramingIsRefused(fields: [(String, String)]) {
        #expect(refused(head(nil, .POST, fields)) == .badRequest)
    }

    @Test func framingIsRead() throws {
        #expect(try forwarded(head(nil, .POST, [("Content-Length", "30")])).body == .length(30))
        #expect(try forwarded(head(nil, .POST, [("Content-Length", "0")])).body == .none)
        #expect(try forwarded(head(nil, .POST, [("Transfer-Encoding", "Chunked")])).body == .chunked)
        #expect(try forwarded(head()).body == .none)
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        #expect(refused(head("/\(secret)/caf\u{FFFD}")) == .badRequest)
        #expect(refused(head(nil, [("X-Name", "M\u{FFFD}rz")])) == .badRequest)
    }

    @Test func headsAndRangesAreOfBodiesWithoutCodings() throws {
        let coded = [("Accept-Encoding", "gzip")]
        for head in [head(nil, .HEAD, coded), head(nil, coded + [("Range", "bytes=0-1")])] {
            let relayed = try forwarded(head)
            #expect(relayed.request.headerFields[.acceptEncoding] == "identity" && !relayed.wantsCodings)
        }
        #expect(try forwarded(head(nil, coded)).request.headerFields[.acceptEncoding] == nil)
    }

    /// A client that asks for no coding, and a packed file.
    @Test func bytesThatAreWantedAsTheyAreAreOfNoCoding() throws {
        for head in [head(), head("/\(secret)/x.tar.gz?y", [("Accept-Encoding", "gzip")])] {
            let relayed = try forwarded(head)
            #expect(relayed.request.headerFields[.acceptEncoding] == "identity" && relayed.wantsCodings)
        }
    }

    // MARK: A Unix socket

    @Test func aSocketNeedsNoSecret() throws {
        let gate = RelayGate(place: gate.place, authority: "localhost", keys: nil)
        guard case .forward(let relayed) = gate.judge(head("/x", host: "localhost")) else {
            throw Refused(verdict: "\(gate.judge(head("/x", host: "localhost")))")
        }
        #expect(relayed.url.absoluteString == "https://intra.example.com/app/x")
        guard case .refuse = gate.judge(head("/x", host: "evil.example")) else { throw Refused(verdict: "admitted") }
    }
}

extension RelayGateTests {
    private func head(_ path: String?, _ fields: [(String, String)]) -> HTTPRequestHead {
        head(path, .GET, fields)
    }
}
