import Foundation
import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

@Suite("SAML2: one conversation", .timeLimit(.minutes(1)))
struct SAML2FilterTests {
    @Test(arguments: SessionServer.Style.allCases)
    func aChallengeOfAnyKindLeadsToOneLoginAndTheResource(_ style: SessionServer.Style) async throws {
        let bench = try WebLoginBench(SessionServer(style))
        let response = try await bench.get("/a?x=1")
        #expect(response.text == "item /a?x=1")
        #expect(bench.server.now.logins == 1)
        #expect(bench.server.now.challenges == 1)
        #expect(bench.web.opened.map(\.login.start.absoluteString) == [SessionServer.base + "/SAMLAuthLauncher"])
        // The redirect to the identity provider was not followed.
        #expect(bench.transport.requests.allSatisfy { $0.target.origin.host == "sp.example.com" })
        #expect(try await bench.get("/b").text == "item /b")
        #expect(bench.server.now.logins == 1)
        #expect(bench.observer.violations.isEmpty)
    }

    @Test(arguments: [
        ("https://sp.example.com/SAMLAuthLauncher?finishEndpointParam", true),
        ("https://sp.example.com:443/SAMLAuthLauncher?a=b&finishEndpointParam=whatever#top", true),
        ("https://SP.example.com/SAMLAuthLauncher?finish%45ndpointParam=1", true),
        ("https://sp.example.com/SAMLAuthLauncher", false),
        ("https://sp.example.com/SAMLAuthLauncher?finishEndpointParam2=1", false),
        ("https://sp.example.com/SAMLAuthLauncher?a=finishEndpointParam", false),
        ("https://sp.example.com/SAMLAuthLauncher/x?finishEndpointParam=1", false),
        ("https://sp.example.com/samlauthlauncher?finishEndpointParam=1", false),
        ("http://sp.example.com/SAMLAuthLauncher?finishEndpointParam=1", false),
        ("https://sp.example.com:8443/SAMLAuthLauncher?finishEndpointParam=1", false),
        ("https://sp.example.com.evil.example/SAMLAuthLauncher?finishEndpointParam=1", false),
        ("https://evil.example/?https://sp.example.com/SAMLAuthLauncher?finishEndpointParam=1", false),
        ("https://sp.example.com/#/SAMLAuthLauncher?finishEndpointParam=1", false),
        ("com.example.app:/SAMLAuthLauncher?finishEndpointParam=1", false), ("", false),
    ])
    func theEndIsOnePlaceOnly(_ url: String, _ expected: Bool) throws {
        #expect(try SessionServer.config().isFinish(url) == expected)
    }

    @Test(arguments: [
        (["a", "status=done"], "?a&status=done", true), (["a", "status=done"], "?status=done&b=1&a=2", true),
        (["a", "status=done"], "?a=1&status=failed", false), (["a", "status=done"], "?status=done", false),
        (["a&b"], "?b&a", true), (["a&b"], "?a", false),
    ])
    func severalFinishParametersHaveToBeThere(parameters: [String], query: String, expected: Bool) throws {
        let config = try SAML2Config(finishEndpoint: "https://sp.example.com/launch", finishParameters: parameters)
        #expect(config.isFinish("https://sp.example.com/launch" + query) == expected)
        #expect(config.isFinish("https://sp.example.com/launch?" + config.finishedQuery))
        #expect(throws: WebLoginError.self) {
            try SAML2Config(finishEndpoint: "https://sp.example.com/launch", finishParameters: parameters + [""])
        }
    }

    @Test func onlyCookiesOfTheServerComeBack() async throws {
        let server = SessionServer()
        let bench = try WebLoginBench(server)
        bench.session.cookies.insert(Cookie(name: "STATE", value: "1", domain: "sp.example.com", isHostOnly: true))
        bench.session.cookies.insert(Cookie(name: "OTHER", value: "canary", domain: "x.example.net", isHostOnly: true))
        // The view also returns a foreign cookie.
        #expect(server.logIn(try login(bench)).cookies.map(\.name) == ["IDP", "SESSION"])
        _ = try await bench.get("/a")
        #expect(bench.web.opened.first?.cookies.map(\.name) == ["STATE"])
        #expect(Set(bench.session.cookies.snapshot.cookies.map(\.name)) == ["STATE", "OTHER", "SESSION"])
    }

    private func login(_ bench: WebLoginBench) throws -> WebLogin {
        let finish = try #require(SessionServer.config().finishEndpoint)
        return WebLogin(.saml2, start: finish, cookieTargets: [finish], returnsCookies: true) { _ in true }
    }

    @Test func cookiesOfOtherPathsOfTheServerComeBackAsWell() async throws {
        let bench = try WebLoginBench()
        bench.server.update { $0.cookiePath = "/b" }
        #expect(await bench.failure("/a")?.webLoginCode == .challengedAgain)
        #expect(try await bench.get("/b").text == "item /b")
        #expect(bench.server.now.logins == 1)
    }

    @Test func aSecondChallengeIsAnErrorAndNoLoop() async throws {
        let bench = try WebLoginBench { opened in
            WebLoginOutcome(url: opened.login.start.absoluteString + "?finishEndpointParam=1", cookies: [])
        }
        let error = try #require(await bench.failure())
        #expect(error.code == .authenticationFailed)
        #expect(error.webLoginCode == .challengedAgain)
        #expect(bench.web.opened.count == 1)
        #expect(bench.server.now.challenges == 2)
        for cause in ["another host or scheme", "Secure", "path", "domain"] { #expect(error.message.contains(cause)) }
        // The cookie arrives, and the server refuses it.
        let other = try WebLoginBench { opened in
            let cookie = Cookie(name: "SESSION", value: "nobody", domain: "sp.example.com", isHostOnly: true)
            return WebLoginOutcome(url: opened.login.start.absoluteString + "?finishEndpointParam", cookies: [cookie])
        }
        let refused = try #require(await other.failure())
        #expect(refused.webLoginCode == .challengedAgain)
        for cause in ["authorised", "clocks"] { #expect(refused.message.contains(cause)) }
    }

    @Test func theCallersAndThenTheHopsConfigurationCounts() async throws {
        struct Provider: SAML2ConfigProvider {
            let asked = Box<[String]>([])
            func saml2Config(for target: TargetURL) async throws -> SAML2Config? {
                asked.update { $0.append(String(target.path)) }
                return target.path == "/moved" ? try SessionServer.config() : nil
            }
        }
        let server = SessionServer()
        let provider = Provider()
        var configurator = CommonAuthenticationConfigurator()
        let web = ScriptedWebLoginStrategy { server.logIn($0.login) }
        configurator.webStrategies = WebStrategies(default: web)
        configurator.add(saml2: provider)
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        let inner = server.transport()
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            if request.target.path == "/first" { return .init(.found, [.location: "/moved"]) }
            let response = try await inner.send(request)
            let bytes = try await response.body.collect(upTo: 1 << 20)
            return .init(response.head.status, response.head.headerFields, body: String(decoding: bytes, as: UTF8.self))
        }
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        #expect(try await manager.get(SessionServer.base + "/first").text == "item /moved")
        #expect(provider.asked.value.prefix(3) == ["/first", "/first", "/moved"])
        #expect(web.opened.count == 1)
    }

    /// The caller's URL selects the configuration for its own server only (security rule S13).
    @Test(arguments: SessionServer.Style.allCases)
    func anotherServerInARedirectChainDoesNotStartTheCallersLogin(_ style: SessionServer.Style) async throws {
        let bench = RedirectBench(style, from: SessionServer.base, to: "https://other.example.net")
        #expect(try await bench.manager.get(SessionServer.base + "/free").text == "plain")
        _ = try await bench.manager.get(SessionServer.base + "/a")
        #expect(bench.server.now.challenges == 1)
        #expect(bench.web.opened.isEmpty)
    }

    @Test(arguments: SessionServer.Style.allCases)
    func anotherServerInARedirectChainStartsTheLoginOfItsOwnURL(_ style: SessionServer.Style) async throws {
        let bench = RedirectBench(style, from: "https://other.example.net", to: SessionServer.base)
        #expect(try await bench.manager.get("https://other.example.net/free").text == "plain")
        #expect(try await bench.manager.get("https://other.example.net/a").text == "item /a")
        #expect(bench.server.now.challenges == 1)
        #expect(bench.web.opened.count == 1)
    }

    /// A server that redirects to resources of another server, which wants a login. All other pages need none.
    private struct RedirectBench {
        let server: SessionServer
        let web: ScriptedWebLoginStrategy
        let manager: HttpConversationManager

        init(_ style: SessionServer.Style, from first: String, to second: String) {
            let server = SessionServer(style)
            let web = ScriptedWebLoginStrategy { server.logIn($0.login) }
            var configurator = CommonAuthenticationConfigurator()
            configurator.webStrategies = WebStrategies(default: web)
            configurator.add(saml2: SessionServer.Provider())
            var configuration = HttpConversationManager.Configuration()
            configuration.apply(configurator)
            let transport = ScriptedTransport { request, _ throws(ConversationError) in
                switch request.target.absoluteString {
                case first + "/a": .init(.found, [.location: second + "/a"])
                case second + "/a": server.answer(request)
                default: .init(.ok, body: "plain")
                }
            }
            (self.server, self.web) = (server, web)
            manager = HttpConversationManager(transport: transport, configuration: configuration)
        }
    }

    @Test func providersAreAskedInOrderAndMayFail() async throws {
        struct Provider: SAML2ConfigProvider {
            let answer: @Sendable () throws -> SAML2Config?
            func saml2Config(for target: TargetURL) async throws -> SAML2Config? { try answer() }
        }
        let bench = try WebLoginBench(saml2: Provider { nil }) { _ in
            throw WebLoginError(.cancelled, "closed")
        } configure: { configurator in
            configurator.add(saml2: Provider { try SessionServer.config(finish: SessionServer.base + "/second") })
            configurator.add(saml2: SessionServer.Provider())
        }
        #expect(await bench.failure()?.code == .cancelled)
        #expect(bench.web.opened.map { String($0.login.start.path) } == ["/second"])
        struct Broken: Error {}
        let broken = try WebLoginBench(saml2: Provider { throw Broken() })
        let error = try #require(await broken.failure())
        #expect(error.code == .authenticationFailed && error.underlyingError is Broken)
    }

    @Test func bodiesAreReplayedWholeOnce() async throws {
        for style in [SessionServer.Style.form, .redirect] {
            let bench = try WebLoginBench(SessionServer(style))
            let stream = RequestBody.stream {
                let chunks = AsyncStream([UInt8].self) { continuation in
                    for part in ["to", " be ", "sent"] { continuation.yield(Array(part.utf8)) }
                    continuation.finish()
                }
                return RequestBodyStream(chunks)
            }
            for (method, body) in [(HTTPRequest.Method.post, RequestBody.text("to be sent")), (.put, stream)] {
                bench.server.update { $0.sessions = [] }
                let request = try HTTPRequest(method, SessionServer.base + "/a")
                #expect(try await bench.manager.data(for: request, body: body).text == "item /a")
            }
            #expect(bench.server.now.served == ["POST /a", "PUT /a"])
            #expect(
                bench.transport.bodies.map { String(decoding: $0, as: UTF8.self) }
                    == Array(repeating: "to be sent", count: 4))
        }
    }

    @Test(arguments: [SessionServer.Style.form, .header, .redirect])
    func nobodyIsAskedForABodyThatIsGone(_ style: SessionServer.Style) async throws {
        let bench = try WebLoginBench(SessionServer(style))
        let body = AsyncStream([UInt8].self) {
            $0.yield([1]); $0.finish()
        }
        let request = try HTTPRequest(.post, SessionServer.base + "/a")
        await #expect {
            _ = try await bench.manager.data(for: request, body: .oneShot(RequestBodyStream(body)))
        } throws: { ($0 as? ConversationError)?.code == .bodyNotReplayable }
        #expect(bench.web.opened.isEmpty)
        #expect(bench.server.now.challenges == 1)
        // It works after a small request, as the message says.
        _ = try await bench.get("/a")
        let again = AsyncStream([UInt8].self) {
            $0.yield([1]); $0.finish()
        }
        #expect(try await bench.manager.data(for: request, body: .oneShot(RequestBodyStream(again))).status == .ok)
    }

    @Test func withoutAStrategyThereIsAClearError() async throws {
        let bench = try WebLoginBench(configure: { $0.webStrategies = WebStrategies() })
        let error = try #require(await bench.failure())
        #expect(error.webLoginCode == .noStrategy)
        #expect(error.message.contains("WebLoginStrategy"))
    }

    @Test func aStrategyThatEndsElsewhereIsNotBelieved() async throws {
        let bench = try WebLoginBench { opened in
            WebLoginOutcome(url: opened.login.start.absoluteString, cookies: [])
        }
        #expect(await bench.failure()?.webLoginCode == .strategyFailed)
    }

    @Test func theTranscriptShowsTheWebPart() async throws {
        let bench = try WebLoginBench()
        let recorder = TranscriptRecorder()
        bench.manager.update { $0.observers.add(recorder) }
        _ = try await bench.get()
        let (origin, strategy) = (try TargetURL(SessionServer.base).origin, "ScriptedWebLoginStrategy")
        #expect(
            bench.observer.logins == [
                .webLoginStarted(.saml2, origin: origin, strategy: strategy),
                .webLoginFinished(.saml2, origin: origin, strategy: strategy, outcome: .succeeded),
            ])
        #expect(recorder.transcript.description.contains("webLoginFinished"))
        #expect(!recorder.transcript.description.contains("canary"))
    }

    @Test func nobodyInTimeIsATimeOut() async throws {
        let bench = try WebLoginBench(clock: TestClock(sleepsAdvance: true)) { _ in
            try await Task.sleep(for: .seconds(3600))
            throw CancellationError()
        }
        #expect(await bench.failure()?.webLoginCode == .timedOut)
        #expect(bench.outcomes == [.timedOut])
        #expect(bench.web.running == 0)
    }
}
