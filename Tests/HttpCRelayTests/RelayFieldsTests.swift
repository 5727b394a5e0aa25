import HttpC
import NIOHTTP1
import Testing

@testable import HttpCRelay

@Suite struct RelayFieldsTests {
    private let keys = RelayKeys()
    private let place: TargetDirectory

    init() throws { place = try TargetDirectory(TargetURL("https://intra.example.com/app/")) }

    private func request(_ fields: [(String, String)]) throws -> [String: String] {
        let result = try RelayFields.request(HTTPHeaders(fields), at: place, "127.0.0.1:4711", keys)
        return Dictionary(result.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { "\($0)|\($1)" })
    }

    @Test func requestsKeepWhatProgramsSay() throws {
        let fields = [
            ("Accept", "text/html"), ("User-Agent", "git/2"), ("Content-Type", "x/y"), ("Git-Protocol", "version=2"),
            ("If-None-Match", "\"1\""), ("X-CSRF-Token", "7"), ("Last-Event-ID", "3"),
        ]
        #expect(try request(fields).count == fields.count)
    }

    @Test func requestsLoseWhatIsOfTheConnectionOrOfTheRelay() throws {
        let dropped = try request([
            ("Host", "127.0.0.1:4711"), ("Connection", "keep-alive, X-Private , close"), ("X-Private", "1"),
            ("Keep-Alive", "1"), ("Proxy-Connection", "x"), ("TE", "trailers"), ("Trailer", "X"), ("Upgrade", "h2c"),
            ("Transfer-Encoding", "chunked"), ("Content-Length", "3"), ("Expect", "100-continue"),
            ("HTTP2-Settings", "x"), ("Cookie", "a=b"), ("Authorization", "Basic x"),
            ("Proxy-Authorization", "Basic x"),
            ("Accept-Encoding", "br"), ("Httpc-Relay-Secret", keys.secret.value),
        ])
        #expect(dropped.isEmpty, "\(dropped.keys)")
    }

    @Test(arguments: [
        ("identity", true), ("Identity;q=1, *;q=0", true), ("gzip;q=0.000,identity", true), ("gzip", false),
        ("identity, gzip;q=0.5", false), ("", true), ("*;q=0", true), ("*", false), ("gzip;q=0", true),
    ])
    func bytesAreWantedAsTheyAre(accepted: String, expected: Bool) {
        let headers: HTTPHeaders = ["Accept-Encoding": accepted]
        #expect(RelayFields.wantsIdentity(headers[canonicalForm: "Accept-Encoding"]) == expected)
        #expect(RelayFields.wantsIdentity([]))
    }

    @Test func originAndRefererAreOfTheTarget() throws {
        let fields = try request([("Origin", "null"), ("Referer", "http://127.0.0.1:4711/x?y")])
        #expect(fields == ["origin": "https://intra.example.com", "referer": "https://intra.example.com/app/x?y"])
        let secret = keys.secret.value
        #expect(
            try request([("Referer", "http://127.0.0.1:4711/\(secret)/x")]) == [
                "referer": "https://intra.example.com/app/x"
            ])
        for other in ["https://evil.example/", "http://127.0.0.1:4712/x", "http://127.0.0.1:4711", "x"] {
            #expect(try request([("Referer", other)]).isEmpty)
        }
    }

    @Test(
        arguments: [
            ("http://127.0.0.1:4711/SECRET/a%20b?c", "https://intra.example.com/app/a%20b?c"),
            ("http://127.0.0.1:4711/a", "https://intra.example.com/app/a"),
            ("/SECRET/a", "https://intra.example.com/app/a"), ("/a", "https://intra.example.com/app/a"),
            ("https://intra.example.com/app/a", "https://intra.example.com/app/a"),
            ("https://intra.example.com/other/a", nil), ("http://127.0.0.1:4711/SECRET/../a", nil),
            ("//evil.example/", nil),
            ("http://127.0.0.1:4712/SECRET/a", nil), ("http://evil.example/SECRET", nil), ("", nil),
        ] as [(String, String?)])
    func aDestinationIsBelowTheTarget(local: String, expected: String?) throws {
        let fields = [("Destination", local.replacing("SECRET", with: keys.secret.value)), ("Overwrite", "F")]
        guard let expected else {
            let error = #expect(throws: ConversationError.self) { try request(fields) }
            return #expect(error?.code == .invalidRequest)
        }
        #expect(try request(fields) == ["destination": expected, "overwrite": "F"])
    }

    @Test func conditionsAreAboutTheTargetsURLs() throws {
        let value = "<http://127.0.0.1:4711/SECRET/a> (<urn:uuid:1> [\"e\"]) </SECRET/b> (Not <DAV:no-lock>)"
        #expect(
            try request([("If", value.replacing("SECRET", with: keys.secret.value))]) == [
                "if": "<https://intra.example.com/app/a> (<urn:uuid:1> [\"e\"]) "
                    + "<https://intra.example.com/app/b> (Not <DAV:no-lock>)"
            ])
        #expect(try request([("If", "(<urn:uuid:1>")]) == ["if": "(<urn:uuid:1>"])
    }

    /// The target must not learn the secret.
    @Test(arguments: ["X-Forwarded-Uri", "If", "Link"]) func noOtherFieldHasTheSecret(name: String) {
        let error = #expect(throws: ConversationError.self) {
            try request([(name, "<http://other.example/\(keys.secret.value)/x>")])
        }
        #expect(error?.code == .invalidRequest && error?.message.contains(keys.secret.value) == false)
    }

    @Test(arguments: ["a\rb", "a\nX: y", "a\0"]) func controlCharactersAreRefused(value: String) {
        #expect(throws: ConversationError.self) { try request([("X-Value", value)]) }
    }

    /// The bytes that were sent are lost.
    @Test func bytesThatAreNotUTF8AreRefused() {
        let error = #expect(throws: ConversationError.self) { try request([("X-Name", "M\u{FFFD}rz")]) }
        #expect(error?.code == .invalidRequest)
        #expect(throws: Never.self) { try request([("X-Name", "März"), ("Cookie", "a=\u{FFFD}")]) }
    }

    // MARK: Answers

    private func answer(_ fields: HTTPFields, base: String = "", isDecoded: Bool = false) throws -> HTTPHeaders {
        RelayFields.answer(
            fields, from: try TargetURL("https://intra.example.com/app/dir/page"), at: place, base: base,
            isDecoded: isDecoded)
    }

    /// Ranges and digests are of the coded bytes.
    @Test func decodedAnswersLoseWhatIsOfTheCodedBytes() throws {
        var fields = HTTPFields()
        for name in ["Accept-Ranges", "Content-MD5", "Content-Digest", "Repr-Digest", "Digest", "ETag", "Vary"] {
            fields.append(try HTTPField(checking: name, "x"))
        }
        #expect(try answer(fields, isDecoded: true).map(\.name).sorted() == ["ETag", "Referrer-Policy", "Vary"])
        #expect(try answer(fields).count == fields.count + 1)
    }

    @Test(arguments: [
        ("gzip", true), ("X-Gzip, deflate", true), ("br", false), ("gzip, br", false), ("identity", false), ("", false),
    ])
    func codingsThatAreUndone(value: String, expected: Bool) {
        #expect(RelayFields.areUndone([.contentEncoding: value]) == expected)
        #expect(!RelayFields.areUndone([:]))
    }

    @Test func lostBytesAreNotPassedOn() throws {
        var fields: HTTPFields = [.location: "/app/caf\u{FFFD}", .contentLocation: "/app/caf\u{FFFD}", .eTag: "é"]
        fields.append(try HTTPField(checking: "Content-Disposition", "attachment; filename=\"M\u{FFFD}rz\""))
        #expect(try answer(fields).map(\.name).sorted() == ["ETag", "Referrer-Policy"])
    }

    @Test func answersLoseWhatIsOfTheTargetsOrigin() throws {
        let names = [
            "Set-Cookie", "WWW-Authenticate", "Strict-Transport-Security", "Alt-Svc", "Clear-Site-Data",
            "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Service-Worker-Allowed", "Connection",
            "Keep-Alive", "Transfer-Encoding", "Content-Length", "Upgrade", "Trailer", "NEL", "Report-To", "Refresh",
            "Proxy-Authenticate", "X-Private",
        ]
        var fields = HTTPFields()
        for name in names {
            fields.append(try HTTPField(checking: name, name == "Connection" ? "X-Private" : "x"))
        }
        fields.append(try HTTPField(checking: "Referrer-Policy", "unsafe-url"))
        fields.append(try HTTPField(checking: "ETag", "\"1\""))
        let headers = try answer(fields)
        #expect(headers.map(\.name).sorted() == ["ETag", "Referrer-Policy"])
        #expect(headers["Referrer-Policy"] == ["no-referrer"])
    }

    @Test(
        arguments: [
            ("other", "/dir/other"), ("/app/x?y#z", "/x?y#z"), ("https://intra.example.com/app/", "/"),
            ("https://intra.example.com/app", "/"), ("//intra.example.com/app/x", "/x"), ("?q", "/dir/page?q"),
            ("https://idp.example.com/login", "https://idp.example.com/login"),
            ("/elsewhere", "https://intra.example.com/elsewhere"), ("../../x", "https://intra.example.com/x"),
            ("/app//evil.example", "https://intra.example.com/app//evil.example"),
            ("/app/\\evil.example", nil), ("javascript:alert(1)", nil), ("JavaScript:x", nil),
            ("data:text/html,x", nil),
            ("myapp://done?x", "myapp://done?x"), ("mailto:a@example.com", "mailto:a@example.com"),
            ("https://a:b@intra.example.com/app/", nil),
            ("http://[", nil),
        ] as [(String, String?)])
    func locationsAreLocal(location: String, expected: String?) throws {
        let headers = try answer([.location: location])
        #expect(headers["Location"] == [expected].compactMap { $0 })
        #expect(try answer([.contentLocation: location])["Content-Location"] == [expected].compactMap { $0 })
        let based = try answer([.location: location], base: "/secret")["Location"].first
        #expect(based == expected.map { $0.hasPrefix("/") ? "/secret\($0)" : $0 })
    }

    @Test(arguments: [
        ("<https://intra.example.com/app/x?page=2>; rel=\"next\"", "</BASE/x?page=2>; rel=\"next\""),
        ("<other>; rel=next, </app/>; rel=first", "</BASE/dir/other>; rel=next, </BASE/>; rel=first"),
        ("<https://other.example.com/x>; rel=next", "<https://other.example.com/x>; rel=next"),
        ("</elsewhere>; rel=up", "<https://intra.example.com/elsewhere>; rel=up"),
        ("<x>; title=\"a <y> b\", <z>", "</BASE/dir/x>; title=\"a <y> b\", </BASE/dir/z>"),
        ("<javascript:x>", "<javascript:x>"), ("<x", "<x"), ("", ""),
    ])
    func linksAreLocal(link: String, expected: String) throws {
        var fields = HTTPFields()
        fields.append(try HTTPField(checking: "Link", link))
        #expect(try answer(fields, base: "/secret")["Link"] == [expected.replacing("/BASE", with: "/secret")])
        #expect(try answer(fields)["Link"] == [expected.replacing("/BASE", with: "")])
    }

    @Test func severalLocationsAreNone() throws {
        var fields: HTTPFields = [.location: "/app/a"]
        fields.append(HTTPField(name: .location, value: "/app/b"))
        #expect(try answer(fields)["Location"].isEmpty)
    }

    // MARK: Framing

    @Test func framingIsMadeAnew() {
        func fields(_ framing: RelayFraming) -> [String] {
            var headers = HTTPHeaders()
            framing.apply(to: &headers)
            return headers.map { "\($0.name): \($0.value)" }
        }
        #expect(fields(RelayFraming(200, to: .get, announced: [], expected: nil)) == ["Transfer-Encoding: chunked"])
        #expect(fields(RelayFraming(200, to: .get, announced: ["9"], expected: 5)) == ["Content-Length: 5"])
        #expect(fields(RelayFraming(200, to: .head, announced: ["9"], expected: 0)) == ["Content-Length: 9"])
        #expect(fields(RelayFraming(200, to: .head, announced: [], expected: 0)) == [])
        #expect(fields(RelayFraming(200, to: .head, announced: ["9", "9"], expected: 0)) == [])
        #expect(fields(RelayFraming(304, to: .get, announced: ["9"], expected: 0)) == [])
        #expect(fields(RelayFraming(204, to: .post, announced: ["9"], expected: 0)) == [])
        #expect(!RelayFraming(304, to: .get, announced: [], expected: 0).hasBody)
    }
}
