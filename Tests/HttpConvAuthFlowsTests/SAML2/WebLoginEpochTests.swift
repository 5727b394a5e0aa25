import Foundation
import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConversation
import Testing

@testable import HttpConvAuthFlows

@Suite("Web logins: requests sent before, and requests held meanwhile", .timeLimit(.minutes(1)))
struct WebLoginEpochTests {
    /// A second factor may renew the session: a challenge to a request under the old one asks nobody.
    @Test func anotherLoginThatRenewedTheSessionCounts() async throws {
        let late = HeldPath("/late")
        let server = SessionServer(holding: late)
        let bench = try WebLoginBench(server, otp: SessionServer.CodeProvider()) { opened in
            guard opened.login.purpose == .otp else { return server.logIn(opened.login) }
            let outcome = server.logIn(opened.login)
            server.update { $0.sessions = ["renewed"] }
            let renewed = Cookie(
                name: "SESSION", value: "renewed", domain: "sp.example.com", isHostOnly: true, isSecure: true)
            return WebLoginOutcome(url: outcome.finish.value, cookies: outcome.cookies + [renewed])
        }
        _ = try await bench.get("/a")
        // The request is sent with the first session, which has ended when it arrives.
        server.update { $0.sessions = [] }
        async let old = bench.get("/late")
        await late.waitForArrivals(1)
        server.update { $0.sessions = ["s1"] }
        _ = try await bench.get("/otp-x")
        late.gate.open()
        #expect(try await old.text == "item /late")
        #expect(bench.web.opened.map(\.login.purpose) == [.saml2, .otp])
    }

    /// Neither an endless page nor the body of a redirect holds its connection while a person logs in.
    @Test(arguments: [true, false]) func theExchangeIsOverBeforeAnybodyIsAsked(isRedirect: Bool) async throws {
        let transport = EndlessTransport(isRedirect: isRedirect)
        let wasOver = Box(false)
        let web = ScriptedWebLoginStrategy { _ in
            wasOver.update { $0 = transport.isCancelled }
            throw WebLoginError(.cancelled, "closed")
        }
        var configurator = CommonAuthenticationConfigurator()
        configurator.webStrategies = WebStrategies(default: web)
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.add(saml2: SessionServer.Provider())
        let manager = HttpConversationManager(transport: transport, configurator)
        _ = try? await manager.get(SessionServer.base + "/a")
        #expect(web.opened.count == 1)
        #expect(wasOver.value)
    }

    /// Strategies for pages of every kind throw the same type of error; OAuth2 has another.
    @Test(arguments: [
        (WebLoginError.Code.cancelled, OAuth2Error.Code.cancelled), (.timedOut, .expired),
        (.answersRefused, .loginFailed),
    ])
    func oauth2KnowsTheErrorsOfWebLogins(_ code: WebLoginError.Code, _ expected: OAuth2Error.Code) async throws {
        let bench = try OAuth2Bench(
            web: ScriptedOAuth2WebStrategy { _, _ in throw WebLoginError(code, "what happened") })
        guard expected != .cancelled else {
            await #expect { try await bench.get() } throws: { ($0 as? ConversationError)?.code == .cancelled }
            return
        }
        let error = try #require(try await bench.failure())
        #expect(error.code == expected)
        if expected == .loginFailed { #expect(error.message.contains("what happened")) }
    }

    /// Answers with a challenge whose body continues until it is cancelled.
    private final class EndlessTransport: HTTPTransport {
        private final class Body: TransportBody {
            let cancelled: Box<Bool>
            init(_ cancelled: Box<Bool>) { self.cancelled = cancelled }
            func next() async throws(ConversationError) -> [UInt8]? {
                cancelled.value ? nil : Array(repeating: 0x20, count: 64 << 10)
            }
            func cancel() { cancelled.update { $0 = true } }
        }

        private let cancelled = Box(false)
        private let head: HTTPResponse

        init(isRedirect: Bool) {
            let mark = HTTPField.Name("com.sap.cloud.security.login") ?? .location
            head =
                isRedirect
                ? HTTPResponse(status: .found, headerFields: [.location: "https://idp.example.net/?SAMLRequest=x"])
                : HTTPResponse(status: .ok, headerFields: [mark: "x", .contentType: "text/html"])
        }

        var isCancelled: Bool { cancelled.value }
        var capabilities: TransportCapabilities { [.streamingResponses] }

        func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
            TransportResponse(head: head, body: ResponseBody(Body(cancelled)))
        }

        func shutdown() async {}
    }
}
