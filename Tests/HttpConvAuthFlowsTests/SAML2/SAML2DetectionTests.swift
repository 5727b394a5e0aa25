import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConvFormats
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

@Suite("SAML2: challenges, and answers that look like one", .timeLimit(.minutes(1)))
struct SAML2DetectionTests {
    /// Whether a response starts a login, and how many chunks of it were read by then.
    private func isChallenge(
        _ status: HTTPResponse.Status = .ok, type: String? = "text/html", method: HTTPRequest.Method = .get,
        fields: HTTPFields = [:], of chunks: [[UInt8]]
    ) async throws -> (isChallenge: Bool, reads: Int) {
        var fields = fields
        if let type { fields[.contentType] = type }
        let transport = ChunkedTransport(status, fields, chunks)
        let web = ScriptedWebLoginStrategy { _ in throw WebLoginError(.cancelled, "closed") }
        var configurator = CommonAuthenticationConfigurator()
        configurator.webStrategies = WebStrategies(default: web)
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.add(saml2: SessionServer.Provider())
        let manager = HttpConversationManager(transport: transport, configurator)
        let request = try HTTPRequest(method, SessionServer.base + "/a")
        do {
            let stream = try await manager.bytes(for: request)
            let reads = transport.reads.value
            // The peeked bytes are still returned, complete.
            #expect(try await stream.body.collect(upTo: 1 << 24) == Array(chunks.joined()))
            return (false, reads)
        } catch {
            #expect(error.code == .cancelled)
            #expect(web.opened.count == 1)
            return (true, transport.reads.value)
        }
    }

    private func bytes(_ text: String) -> [[UInt8]] { [Array(text.utf8)] }

    private func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { bigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
    }

    @Test(arguments: [
        "text/html", "TEXT/HTML", "text/html;charset=utf-8", "text/html ; charset=\"ISO-8859-1\"",
        "application/xhtml+xml",
    ])
    func pages(_ type: String) async throws {
        #expect(try await isChallenge(type: type, of: bytes(SessionServer.page)).isChallenge)
    }

    @Test(arguments: [
        "application/json", "text/plain", "text/htmlx", "application/xml", "image/png", nil,
    ])
    func whatIsNoPageIsNotRead(_ type: String?) async throws {
        let result = try await isChallenge(type: type, of: bytes(SessionServer.page))
        #expect(!result.isChallenge)
        #expect(result.reads == 0)
    }

    @Test(arguments: [
        (200, true), (201, true), (401, true), (403, true), (404, false), (500, false), (503, false),
    ])
    func statuses(_ status: Int, _ expected: Bool) async throws {
        let result = try await isChallenge(.init(code: status), of: bytes(SessionServer.page))
        #expect(result.isChallenge == expected)
        if !expected { #expect(result.reads == 0) }
    }

    @Test func aHeadIsAChallengeByTheHeaderOrByThePageOfAGET() async throws {
        #expect(try await !isChallenge(method: .head, of: []).isChallenge)
        #expect(try await isChallenge(method: .head, of: bytes(SessionServer.page)).isChallenge)
        let mark = try #require(HTTPField.Name("com.sap.cloud.security.login"))
        for status in [200, 204, 401, 418, 500] {
            let result = try await isChallenge(
                .init(code: status), type: nil, method: .head, fields: [mark: "x"], of: [])
            #expect(result.isChallenge)
        }
    }

    private static let mark = HTTPField.Name("com.sap.cloud.security.login")

    @Test(arguments: ["application/json", "image/png"])
    func theHeaderAlsoMarksWhatIsNoPage(_ type: String) async throws {
        let mark = try #require(Self.mark)
        for status in [200, 404] {
            #expect(try await isChallenge(.init(code: status), type: type, fields: [mark: "x"], of: []).isChallenge)
            #expect(try await !isChallenge(.init(code: status), type: type, of: []).isChallenge)
        }
    }

    /// Counts the questions.
    private struct Counting: SAML2ConfigProvider {
        let count = Box(0)
        func saml2Config(for target: TargetURL) async throws -> SAML2Config? {
            count.update { $0 += 1 }
            return target.path == "/other" ? nil : try SessionServer.config()
        }
    }

    @Test func successesThatAreNoPagesNeedNoProvider() async throws {
        let mark = try #require(Self.mark)
        let transport = ScriptedTransport { request, _ in
            switch request.target.path {
            case "/marked": .init(.ok, [.contentType: "application/json", mark: "x"])
            case "/missing": .init(.notFound, [.contentType: "application/json"])
            case "/page": .init(.ok, [.contentType: "text/html"])
            default: .init(.ok, [.contentType: "application/json"])
            }
        }
        let provider = Counting()
        var configurator = CommonAuthenticationConfigurator()
        let web = ScriptedWebLoginStrategy { _ in throw WebLoginError(.cancelled, "closed") }
        configurator.webStrategies = WebStrategies(default: web)
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.add(saml2: provider)
        let manager = HttpConversationManager(transport: transport, configurator)
        // The provider is asked for the first answer of a server, and for each later one that is a page or not
        // successful. Without redirects the caller's URL is the answer's, so it is asked once.
        for (path, questions) in [("other", 1), ("a", 1), ("missing", 2), ("b", 2), ("page", 3), ("c", 3)] {
            _ = try await manager.get("\(SessionServer.base)/\(path)")
            #expect(provider.count.value == questions, "\(path)")
        }
        let error = await #expect(throws: ConversationError.self) {
            try await manager.get("\(SessionServer.base)/marked")
        }
        #expect(error?.code == .cancelled && web.opened.count == 1)
    }

    @Test(arguments: [1, 2, 7, 11, 64])
    func chunksOfAnySize(_ size: Int) async throws {
        let page = Array(SessionServer.page.utf8)
        let chunks = stride(from: 0, to: page.count, by: size).map { Array(page[$0..<min($0 + size, page.count)]) }
        #expect(try await isChallenge(of: chunks).isChallenge)
    }

    @Test(arguments: [true, false]) func utf16Pages(bigEndian: Bool) async throws {
        let page = utf16(SessionServer.page, bigEndian: bigEndian)
        let mark: [UInt8] = bigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE]
        let name = "text/html; charset=utf-16\(bigEndian ? "be" : "le")"
        #expect(try await isChallenge(of: [mark + page]).isChallenge)
        #expect(try await isChallenge(type: name, of: [page]).isChallenge)
        #expect(
            try await isChallenge(type: name, of: [Array(page.prefix(301)), Array(page.dropFirst(301))]).isChallenge)
        // A byte order mark in two pieces.
        #expect(try await isChallenge(of: [[mark[0]], [mark[1]] + page]).isChallenge)
        // Without a declaration a page does not count as UTF-16.
        #expect(try await !isChallenge(of: [page]).isChallenge)
    }

    @Test(arguments: [
        "<p>A SAMLRequest is a hidden field.</p>",
        "<!-- <form><input name=\"SAMLRequest\"></form> --><p>nothing</p>",
        "<script>var form = '<form><input name=\"SAMLRequest\"></form>'</script>",
        "<form><input name=\"about\" value=\"SAMLRequest\"></form>",
        "<form><input name=\"samlrequest\"></form>",
        "<form><input name=\"SAMLRequest2\"></form>",
        "<form action=\"?SAMLRequest=x\"><input name=\"a\"></form>",
        "<form><input name=\"SAMLRequest\" value=\"\(SAML2Samples.logoutInForm)\"></form>",
        "",
    ])
    func pagesThatOnlySpeakOfIt(_ page: String) async throws {
        #expect(try await !isChallenge(of: bytes("<html><body>\(page)</body></html>")).isChallenge)
    }

    @Test(arguments: [
        "<form method=post><input type=hidden name=SAMLRequest value=x></form>",
        "<FORM METHOD='POST'><INPUT TYPE='HIDDEN' NAME='SAMLRequest'></FORM>",
        "<form><div><p><input value=\"x\"\n name = \"SAMLRequest\"\n/></div></form>",
    ])
    func formsHoweverWritten(_ page: String) async throws {
        #expect(try await isChallenge(of: bytes("<html><body>\(page)</body></html>")).isChallenge)
    }

    @Test func aHugePageIsReadToTheLimitOnly() async throws {
        let chunk = Array(repeating: UInt8(ascii: "q"), count: 64 << 10)
        let form = Array("<form><input name=SAMLRequest></form>".utf8)
        let result = try await isChallenge(of: Array(repeating: chunk, count: 40) + [form])
        #expect(!result.isChallenge)
        #expect(result.reads == 16)
        #expect(try await isChallenge(of: [form] + Array(repeating: chunk, count: 40)).isChallenge)
    }

    @Test(arguments: [
        ("https://idp.example.net/sso?SAMLRequest=x", true),
        ("https://idp.example.net/sso?RelayState=1&SAML%52equest=x", false),
        ("/sso?a=b&SAMLRequest", true),
        ("https://idp.example.net/sso?next=SAMLRequest", false),
        ("https://idp.example.net/SAMLRequest", false),
        ("https://idp.example.net/sso#?SAMLRequest=x", false),
        ("custom:thing?SAMLRequest=x", true),
        ("https://idp.example.net/sso?SAMLRequest=\(SAML2Samples.requestInQuery)", true),
        ("https://idp.example.net/slo?SAMLRequest=\(SAML2Samples.logoutInQuery)", false),
    ])
    func redirects(_ location: String, _ expected: Bool) {
        #expect(SAML2Challenge.isRequest(location: location) == expected)
    }

    @Test func needlesAcrossPieces() {
        let needle = ByteNeedle("SAMLRequest", .narrow, rarest: "q")
        let text = Array("..SAMLRequesq SAMLRequest".utf8)
        for first in 0...text.count {
            for second in first...text.count {
                let chunks = [Array(text[..<first]), Array(text[first..<second]), Array(text[second...])]
                #expect(needle.isIn(chunks))
            }
        }
        #expect(!needle.isIn([Array("SAMLReques".utf8), [], Array("SAMLRequesq".utf8)]))
        #expect(!needle.isIn([]))
    }
}
