import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

/// The answer to a HEAD has no page: a GET of the same URL shows whether it stands for a login.
@Suite("Logins of HEAD requests", .timeLimit(.minutes(1)))
struct HeadLoginTests {
    private static let base = SessionServer.base
    private static let passwordForm = "<form method=post><input name=u><input name=p type=password></form>"

    private struct Sites: WebLoginConfigurationProvider, SAML2ConfigProvider {
        var saml2: SAML2Config?
        func webLoginConfiguration(for target: TargetURL) async throws -> WebLoginConfiguration? {
            try target.path == "/elsewhere" ? nil : WebLoginConfiguration()
        }
        func saml2Config(for target: TargetURL) async throws -> SAML2Config? {
            try target.path == "/elsewhere" ? nil : saml2 ?? SAML2Config()
        }
    }

    enum Kind: CaseIterable { case saml2, webLogin }

    private struct Bench {
        let manager: HttpConversationManager
        let session = HttpSession()
        let transport: ScriptedTransport
        let web: ScriptedWebLoginStrategy

        /// - Parameter answer: the answer to a GET; a HEAD gets the same without the body
        init(
            _ kind: Kind, saml2: SAML2Config? = nil,
            _ answer: @escaping @Sendable (TransportRequest) async -> ScriptedTransport.Answer
        ) {
            transport = ScriptedTransport { request, _ in await answer(request) }
            web = ScriptedWebLoginStrategy { opened in
                let own = HeadLoginTests.cookie
                _ = try await opened.login.trial?.attempt(opened.cookies + [own])
                let end = "\(HeadLoginTests.base)/SAMLAuthLauncher?finishEndpointParam"
                return WebLoginOutcome(url: end, cookies: [own])
            }
            var configurator = CommonAuthenticationConfigurator(session: session)
            configurator.webStrategies = WebStrategies(default: web)
            configurator.multiplexer = UserInteractionMultiplexer()
            switch kind {
            case .saml2: configurator.add(saml2: Sites(saml2: saml2))
            case .webLogin: configurator.add(webLogin: Sites())
            }
            manager = HttpConversationManager(transport: transport, configurator)
        }

        var methods: [HTTPRequest.Method] { transport.requests.map(\.method) }

        func head(_ path: String = "/a", _ fields: HTTPFields = [:]) async throws -> ConversationResponse {
            try await manager.data(for: HTTPRequest(.head, TargetURL(HeadLoginTests.base + path), fields: fields))
        }
    }

    private static let cookie = Cookie(
        name: "SESSION", value: "s1", domain: "sp.example.com", isHostOnly: true, isSecure: true)

    private static func isLoggedIn(_ request: TransportRequest) -> Bool {
        request.headerFields[.cookie]?.contains("SESSION=s1") == true
    }

    @Test(arguments: Kind.allCases) func aLoginPageIsNoSuccess(_ kind: Kind) async throws {
        let bench = Bench(kind) { request in
            guard !Self.isLoggedIn(request) else { return .init(.ok, [.contentType: "application/json"]) }
            let page = kind == .saml2 ? SessionServer.page : Self.passwordForm
            let fields: HTTPFields = [.contentType: "text/html", .setCookie: "\(request.method.rawValue)=1; Path=/"]
            return .init(.ok, fields, body: request.method == .head ? "" : page)
        }
        let response = try await bench.head("/a?x=1", [.ifNoneMatch: "\"e\"", .authorization: "Bearer t"])
        #expect(response.headerFields[.contentType] == "application/json")
        #expect(bench.web.opened.count == 1)
        // The HEAD, the look at its page, the trial of the login, and the HEAD again.
        #expect(bench.methods == [.head, .get, .get, .head])
        let look = try #require(bench.transport.requests.dropFirst().first)
        #expect(look.target.requestTarget == "/a?x=1" && look.headerFields[.ifNoneMatch] == nil)
        #expect(look.headerFields[.authorization] == "Bearer t")
        // The challenge's own cookies are gone.
        #expect(bench.session.cookies.snapshot.cookies.map(\.name) == ["SESSION"])
    }

    /// A server may renew the session with each answer. A login that fails leaves the session as it was.
    @Test(arguments: Kind.allCases, [true, false])
    func aFailedLoginLeavesTheSession(_ kind: Kind, isRedirect: Bool) async throws {
        let bench = Bench(kind) { request in
            let cookie = "sid=\(request.method.rawValue); Path=/"
            var fields: HTTPFields = [.contentType: "text/html", .setCookie: cookie]
            let page = kind == .saml2 ? SessionServer.page : Self.passwordForm
            guard isRedirect else { return .init(.ok, fields, body: request.method == .head ? "" : page) }
            let query = kind == .saml2 ? "SAMLRequest=fZFN" : "response_type=code&client_id=x"
            fields[.location] = "https://idp.example.net/sso?" + query
            return .init(.found, fields)
        }
        let old = Cookie(name: "sid", value: "old", domain: "sp.example.com", isHostOnly: true)
        bench.session.cookies.insert(old)
        for method in [HTTPRequest.Method.get, .head] {
            await #expect(throws: ConversationError.self) {
                try await bench.manager.data(for: HTTPRequest(method, TargetURL(Self.base + "/a")))
            }
            #expect(bench.transport.requests.first?.headerFields[.cookie] == "sid=old")
            let kept = bench.session.cookies.snapshot.cookies.filter { $0.name == "sid" }.map(\.value)
            #expect(kept == ["old"], "\(kept)")
        }
    }

    @Test(arguments: Kind.allCases) func aGETThatIsRedirectedToALoginIsOneToo(_ kind: Kind) async throws {
        let bench = Bench(kind) { request in
            guard !Self.isLoggedIn(request) else { return .init(.ok, [.contentType: "application/json"]) }
            guard request.method == .get else { return .init(.ok, [.contentType: "text/html"]) }
            let query = kind == .saml2 ? "SAMLRequest=fZFN" : "response_type=code&client_id=x"
            return .init(.found, [.location: "https://idp.example.net/sso?" + query])
        }
        #expect(try await bench.head().headerFields[.contentType] == "application/json")
        #expect(bench.web.opened.count == 1)
        #expect(bench.transport.requests.allSatisfy { $0.target.origin.host == "sp.example.com" })
    }

    @Test func aSecondChallengeIsAnError() async throws {
        let config = try SessionServer.config(header: nil)
        let bench = Bench(.saml2, saml2: config) { request in
            .init(.ok, [.contentType: "text/html"], body: request.method == .head ? "" : SessionServer.page)
        }
        let error = await #expect(throws: ConversationError.self) { try await bench.head() }
        #expect(error?.webLoginCode == .challengedAgain)
        #expect(bench.web.opened.count == 1 && bench.methods == [.head, .get, .head, .get])
    }

    /// SAP's header needs neither a configuration nor a page.
    @Test(arguments: SessionServer.Style.allCases)
    func everyChallengeWorksWithoutAHeaderInTheConfiguration(_ style: SessionServer.Style) async throws {
        let server = SessionServer(style)
        let bench = try WebLoginBench(
            server, saml2: SessionServer.Provider(config: Result { try SessionServer.config(header: nil) }))
        let request = HTTPRequest(.head, try TargetURL(Self.base + "/a"))
        let response = try await bench.manager.data(for: request)
        #expect(response.headerFields[.contentType] == "application/json")
        #expect(server.now.logins == 1)
        let isForm = [.form, .formOn401, .formOn403].contains(style)
        #expect(bench.transport.requests.map(\.method) == (isForm ? [.head, .get, .head] : [.head, .head]))
        #expect(bench.observer.violations.isEmpty)
    }

    @Test(
        arguments: Kind.allCases,
        [
            ("/a", 200, "text/html", 1), ("/a", 200, nil, 1), ("/a", 200, "application/json", 0), ("/a", 204, nil, 0),
            ("/a", 304, nil, 0), ("/a", 404, nil, 0), ("/a", 404, "application/json", 0),
            ("/elsewhere", 200, "text/html", 0),
        ])
    func otherAnswersCostOneGETAtMost(_ kind: Kind, _ answer: (String, Int, String?, Int)) async throws {
        let (path, status, type, gets) = answer
        let bench = Bench(kind) { request in
            var fields: HTTPFields = request.method == .get ? [.setCookie: "renewed=1; Path=/"] : [:]
            if let type { fields[.contentType] = type }
            return .init(.init(code: status), fields, body: request.method == .head ? "" : "<p>Hello")
        }
        let response = try await bench.head(path)
        #expect(response.status.code == status && response.data.isEmpty)
        #expect(bench.methods == [.head] + Array(repeating: .get, count: gets))
        #expect(bench.session.cookies.snapshot.cookies.count == gets, "a server may change them with every answer")
        #expect(bench.web.opened.isEmpty)
    }

    /// The HEAD was sent without the cookies of a login that has ended before the GET.
    @Test(arguments: Kind.allCases) func aLoginBetweenHeadAndGETIsEnough(_ kind: Kind) async throws {
        let (arrived, gate) = (Gate(), Gate())
        let bench = Bench(kind) { request in
            if Self.isLoggedIn(request) { return .init(.ok, [.contentType: "application/json"]) }
            if request.method == .head {
                arrived.open()
                await gate.pass()
            }
            return .init(.ok, [.contentType: "text/html"], body: SessionServer.page + Self.passwordForm)
        }
        async let answer = bench.head()
        await arrived.pass()
        bench.session.handOver([Self.cookie])
        gate.open()
        #expect(try await answer.headerFields[.contentType] == "application/json")
        #expect(bench.methods == [.head, .get, .head])
        #expect(bench.web.opened.isEmpty)
    }

    /// The GET has the caller's cookies, and those of the session as the HEAD's answer has changed them.
    @Test func theGETHasThePresentCookies() async throws {
        let bench = Bench(.webLogin) { request in
            .init(.ok, [.contentType: "text/html", .setCookie: "turn=\(request.method.rawValue); Path=/"])
        }
        bench.session.cookies.insert(
            Cookie(name: "turn", value: "first", domain: "sp.example.com", isHostOnly: true))
        _ = try await bench.head("/a", [.cookie: "mine=1"])
        let sent = bench.transport.requests.map { $0.headerFields[.cookie] }
        #expect(sent == ["mine=1; turn=first", "mine=1; turn=HEAD"])
        #expect(bench.session.cookies.snapshot.cookies.map(\.value) == ["GET"])
    }

    /// The GET would be refused, which says nothing about the HEAD.
    @Test(arguments: ["Digest username=\"a\"", "DPoP t"])
    func aCredentialForOneRequestIsNotSentAgain(_ credential: String) async throws {
        let bench = Bench(.webLogin) { _ in .init(.ok, [.contentType: "text/html"]) }
        #expect(try await bench.head("/a", [.authorization: credential]).status == .ok)
        #expect(bench.methods == [.head])
    }

    @Test func aFailureOfTheGETIsTheFailureOfTheHEAD() async throws {
        let bench = Bench(.webLogin) { request in
            request.method == .head
                ? .init(.ok, [.contentType: "text/html"])
                : .failure(ConversationError(.connectionFailed, "The connection was closed."))
        }
        let error = await #expect(throws: ConversationError.self) { try await bench.head() }
        #expect(error?.code == .connectionFailed)
    }
}
