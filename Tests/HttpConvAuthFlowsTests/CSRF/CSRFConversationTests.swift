import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

/// CSRF tokens together with logins, redirects and failures.
@Suite("CSRF tokens in conversations", .timeLimit(.minutes(1))) struct CSRFConversationTests {
    private static let service = "https://api.example.com/svc/"

    private static func manager(
        _ transport: ScriptedTransport, ahead: Bool = false, provider: CountingProvider? = nil
    ) throws -> HttpConversationManager {
        var configurator = CommonAuthenticationConfigurator()
        if ahead { configurator.add(csrf: try CSRFService(root: service)) }
        if let provider { configurator.add(provider) }
        return HttpConversationManager(transport: transport, configurator)
    }

    /// A service behind Basic; a token is valid for one login only.
    private static func answer(_ request: TransportRequest) -> ScriptedTransport.Answer {
        guard request.headerFields[.authorization] != nil else {
            return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"svc\""])
        }
        if request.method == .get { return .init(.ok, [.csrfToken: "t0ken"], body: "service document") }
        if request.headerFields[.csrfToken] == "t0ken" { return .init(.created) }
        return .init(.forbidden, [.csrfToken: "Required"])
    }

    @Test(arguments: [true, false]) func theFetchIsOfWhoIsLoggedIn(ahead: Bool) async throws {
        let transport = ScriptedTransport { request, _ in Self.answer(request) }
        let provider = CountingProvider("alice", "wonderland")
        let manager = try Self.manager(transport, ahead: ahead, provider: provider)
        let response = try await manager.data(for: HTTPRequest(.post, Self.service + "x"), body: .text("x"))
        #expect(response.status == .created)
        #expect(provider.count == 1)
        let sent = transport.requests.map { request -> String in
            request.headerFields[.authorization] == nil ? "\(request.method)" : "\(request.method) as alice"
        }
        let learned = ["POST", "POST as alice", "GET as alice", "POST as alice"]
        #expect(sent == (ahead ? ["GET", "GET as alice", "POST as alice"] : learned))
    }

    /// The table of limits in docs/threat-model.md.
    @Test func theTimeOfTheFetchIsBounded() async throws {
        let transport = ScriptedTransport { request, _ in
            request.method == .get ? .init(.ok, [.csrfToken: "t0ken"]) : .init(.created)
        }
        let manager = try Self.manager(transport, ahead: true)
        _ = try await manager.data(for: HTTPRequest(.post, Self.service + "x"), body: .text("x"))
        #expect(transport.requests.map(\.options.timeLimit) == [.seconds(120), nil])
    }

    @Test func aRedirectToAnotherOriginGoesWithout() async throws {
        let transport = ScriptedTransport { request, _ in
            if request.target.origin.host != "api.example.com" { return .init(.ok, body: "elsewhere") }
            if request.method == .get { return .init(.ok, [.csrfToken: "t0ken"]) }
            return .init(.temporaryRedirect, [.location: "https://other.example.com/svc/x"])
        }
        let manager = try Self.manager(transport, ahead: true)
        let response = try await manager.data(for: HTTPRequest(.post, Self.service + "x"), body: .text("x"))
        #expect(response.text == "elsewhere")
        #expect(transport.requests.map { $0.headerFields[.csrfToken] } == ["Fetch", "t0ken", nil])
    }

    /// The session of the token has the cookies that the fetch sent and got, each for its own path.
    @Test func cookiesOfOneNameStayApart() async throws {
        @Sendable func setting(_ cookies: String...) -> HTTPFields {
            HTTPFields(cookies.map { HTTPField(name: .setCookie, value: $0) })
        }
        let transport = ScriptedTransport { request, _ in
            if request.target.path == "/svc/start" {
                return .init(.ok, setting("SID=inner; Path=/svc", "SID=outer; Path=/", "odd; Path=/"))
            }
            guard request.method == .get else {
                let isRight = request.headerFields[.csrfToken] == "t0ken"
                return isRight ? .init(.created) : .init(.forbidden, [.csrfToken: "Required"])
            }
            var fields = setting("SID=new; Path=/svc", "SID=; Path=/; Max-Age=0", "far=1; Path=/; Domain=example.com")
            fields[.csrfToken] = "t0ken"
            return .init(.ok, fields)
        }
        let manager = try Self.manager(transport)
        _ = try await manager.data(for: HTTPRequest(.get, Self.service + "start"))
        let response = try await manager.data(for: HTTPRequest(.post, Self.service + "x"), body: .text("x"))
        #expect(response.status == .created)
        let sent = transport.requests.map { $0.headerFields[.cookie] }
        #expect(
            sent == [
                nil, "SID=inner; SID=outer; odd", "SID=inner; SID=outer; odd", "SID=new; odd; far=1",
            ])
    }

    /// A token in another origin's answer is ignored.
    @Test func aTokenFromElsewhereIsNotTaken() async throws {
        let transport = ScriptedTransport { request, _ in
            if request.target.origin.host != "api.example.com" { return .init(.ok, [.csrfToken: "evil"]) }
            if request.method == .get { return .init(.found, [.location: "https://other.example.com/"]) }
            return .init(.forbidden, [.csrfToken: "Required"])
        }
        let manager = try Self.manager(transport)
        let response = try await manager.data(for: HTTPRequest(.post, Self.service + "x"), body: .text("x"))
        #expect(response.status == .forbidden)
        #expect(transport.requests.map { $0.headerFields[.csrfToken] } == [nil, "Fetch", nil])
    }

    @Test(arguments: ["", "Required", "fetch", "two words", "t\u{e9}"]) func noToken(value: String) async throws {
        let transport = ScriptedTransport { request, _ in
            .init(request.method == .get ? .ok : .forbidden, [.csrfToken: request.method == .get ? value : "required"])
        }
        let manager = try Self.manager(transport)
        let response = try await manager.data(for: HTTPRequest(.post, Self.service + "x"), body: .text("x"))
        #expect(response.status == .forbidden)
        #expect(transport.requests.map(\.method) == [.post, .get])
    }

    @Test func aFetchThatFailsEndsTheConversation() async throws {
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            if request.method == .get { throw ConversationError(.connectionFailed, "gone") }
            return .init(.forbidden, [.csrfToken: "Required"])
        }
        let manager = try Self.manager(transport)
        await #expect { _ = try await manager.data(for: HTTPRequest(.post, Self.service + "x")) } throws: {
            ($0 as? ConversationError)?.code == .connectionFailed
        }
    }

    /// A 403 for another reason, and a GET that is refused: the filter leaves them alone.
    @Test(arguments: [(HTTPRequest.Method.post, ""), (.post, "Fetch"), (.get, "Required")])
    func other403s(method: HTTPRequest.Method, value: String) async throws {
        let transport = ScriptedTransport { _, _ in
            .init(.forbidden, value.isEmpty ? [:] : [.csrfToken: value], body: "no")
        }
        let response = try await Self.manager(transport).data(for: HTTPRequest(method, Self.service + "x"))
        #expect(response.text == "no")
        #expect(transport.requests.count == 1)
    }

    /// A service inside another one: the outer one's token is refused, and its own is accepted.
    @Test func aServiceInsideAnother() async throws {
        let transport = ScriptedTransport { request, _ in
            let isInner = request.target.path.hasPrefix("/inner/")
            if request.method == .get { return .init(.ok, [.csrfToken: isInner ? "inner" : "outer"]) }
            let isRight = request.headerFields[.csrfToken] == (isInner ? "inner" : "outer")
            return isRight ? .init(.ok) : .init(.forbidden, [.csrfToken: "Required"])
        }
        let manager = try Self.manager(transport)
        // Three requests to learn a token, one if it is known.
        for path in ["x", "inner/x", "inner/y", "y"] {
            let response = try await manager.data(for: HTTPRequest(.post, "https://api.example.com/\(path)"))
            #expect(response.status == .ok)
        }
        #expect(transport.requests.count == 8)
    }

    /// If the likely root of a deeper path has no token, the service whose token was refused may still have one.
    @Test func theKnownRootIsAskedWhereTheLikelyOneHasNothing() async throws {
        let tokens = Box(["first", "second"])
        let transport = ScriptedTransport { request, _ in
            if request.method == .get {
                return request.target.path == "/svc/" ? .init(.ok, [.csrfToken: tokens.value[0]]) : .init(.notFound)
            }
            let isRight = request.headerFields[.csrfToken] == tokens.value[0]
            return isRight ? .init(.ok) : .init(.forbidden, [.csrfToken: "Required"])
        }
        let manager = try Self.manager(transport)
        _ = try await manager.data(for: HTTPRequest(.post, Self.service + "x"))
        tokens.update { $0.removeFirst() }
        let response = try await manager.data(for: HTTPRequest(.post, Self.service + "deep/x"))
        #expect(response.status == .ok)
        #expect(
            transport.requests.dropFirst(3).map { "\($0.method) \($0.target.path)" } == [
                "POST /svc/deep/x", "GET /svc/deep/", "GET /svc/", "POST /svc/deep/x",
            ])
    }

    /// Each client of an SAP system has tokens of its own, and the caller's own login is needed for them, too.
    @Test(arguments: ["?sap-client=200", "?x=1&sap-client=200"], [false, true])
    func theFetchIsForTheRequestsClient(query: String, ahead: Bool) async throws {
        let transport = ScriptedTransport { request, _ in
            guard request.headerFields[.authorization] == "Bearer t" else { return .init(.unauthorized) }
            let client = (request.target.query ?? "").split(separator: "&").first { $0.hasPrefix("sap-client=") }
            let token = "token-\(client ?? "default")"
            if request.method == .get { return .init(.ok, [.csrfToken: token]) }
            let isRight = request.headerFields[.csrfToken] == token
            return isRight ? .init(.ok) : .init(.forbidden, [.csrfToken: "Required"])
        }
        let manager = try Self.manager(transport, ahead: ahead)
        for query in [query, "", "?sap-client=300", query] {
            var request = try HTTPRequest(.post, Self.service + "x" + query)
            request.headerFields[.authorization] = "Bearer t"
            #expect(try await manager.data(for: request).status == .ok, "\(query)")
        }
    }

    /// The client may be a field; requests at once have different ones.
    @Test func eachClientOfAFieldHasATokenOfItsOwn() async throws {
        let client = try #require(HTTPField.Name("sap-client"))
        let transport = ScriptedTransport { request, _ in
            let token = "token-\(request.headerFields[client] ?? "default")"
            if request.method == .get { return .init(.ok, [.csrfToken: token]) }
            let isRight = request.headerFields[.csrfToken] == token
            return isRight ? .init(.ok) : .init(.forbidden, [.csrfToken: "Required"])
        }
        let manager = try Self.manager(transport)
        try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for number in 0..<12 {
                group.addTask {
                    var request = try HTTPRequest(.post, Self.service + "x")
                    request.headerFields[client] = "\(number % 3)"
                    return try await manager.data(for: request).status
                }
            }
            for try await status in group { #expect(status == .ok) }
        }
        #expect(transport.requests.filter { $0.method == .get }.count == 3)
    }

    @Test(arguments: [
        ("/svc/Products", "/svc/"), ("/svc/Products(1)", "/svc/"), ("/svc/Products(1)/Supplier", "/svc/"),
        ("/svc/Products('a/b')/$links/Supplier", "/svc/"), ("/svc/$batch", "/svc/"), ("/svc/", "/svc/"), ("/svc", "/"),
        ("/a/b/c?x=(1)/y", "/a/b/"), ("/svc/Products%281%29/x", "/svc/"), ("//a/x", "//a/"), ("/a/%2e%2e/b", nil),
        ("/a/..%2fb/c", nil), ("/(S(abc))/svc/Products(1)", "/(S(abc))/svc/"),
        ("/svc/Products?$top=1&sap-client=100", "/svc/?sap-client=100"),
        ("/svc/Products(1)?SAP-Client=100#x", "/svc/?SAP-Client=100"),
    ])
    func theLikelyRoot(path: String, root: String?) throws {
        let suggested = try TargetURL("https://api.example.com\(path)").suggestedServiceRoot
        #expect(suggested?.requestTarget == root)
    }

    @Test func itIsOnByDefaultAndCanBeRemoved() async throws {
        var configuration = HttpConversationManager.Configuration()
        let configurator = CommonAuthenticationConfigurator()
        configuration.apply(configurator)
        configuration.apply(configurator)
        #expect(configuration.requestFilters.ids == [FlowID.csrf])
        #expect(configuration.responseFilters.ids == [FlowID.csrf])
        configuration.requestFilters.remove(id: FlowID.csrf)
        configuration.responseFilters.remove(id: FlowID.csrf)
        let transport = ScriptedTransport { _, _ in .init(.forbidden, [.csrfToken: "Required"]) }
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        #expect(try await manager.data(for: HTTPRequest(.post, Self.service)).status == .forbidden)
        #expect(transport.requests.count == 1)
    }

    @Test func nothingPrintsAToken() async throws {
        let transport = ScriptedTransport { request, _ in
            if request.method == .get { return .init(.ok, [.csrfToken: "canary-t0ken"]) }
            let isRight = request.headerFields[.csrfToken] == "canary-t0ken"
            return isRight ? .init(.ok) : .init(.forbidden, [.csrfToken: "Required"])
        }
        let manager = try Self.manager(transport)
        let recorder = TranscriptRecorder()
        manager.update { $0.observers.add(recorder) }
        let response = try await manager.data(for: HTTPRequest(.post, Self.service + "x"))
        #expect(transport.requests.last?.headerFields[.csrfToken] == "canary-t0ken")
        var printed = String(decoding: try JSONEncoder().encode(recorder.transcript), as: UTF8.self)
        dump(recorder.transcript, to: &printed)
        dump(response.context[CSRFProgressKey.self] as Any, to: &printed)
        dump(manager.configuration.requestFilters.elements, to: &printed)
        #expect(printed.contains("/svc/x"))
        #expect(!printed.contains("canary"))
    }
}
