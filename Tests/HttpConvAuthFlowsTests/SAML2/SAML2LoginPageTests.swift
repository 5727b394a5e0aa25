import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

/// Service providers like mod_auth_mellon: every request without a session is redirected to a login page, which always
/// starts a login and removes the session's cookie.
@Suite("SAML2: redirects to where logins start", .timeLimit(.minutes(1)))
struct SAML2LoginPageTests {
    private static let base = SessionServer.base

    /// - Parameter held: answers for this path wait for the gate
    private static func transport(holding held: String = "", until gate: Gate = Gate()) -> ScriptedTransport {
        ScriptedTransport { request, _ throws(ConversationError) in
            let hasSession = request.headerFields[.cookie]?.contains("SESSION=s") == true
            if request.target.path == "/SAMLAuthLauncher" {
                return .init(
                    .found,
                    [.location: "https://idp.example.net/sso?SAMLRequest=1", .setCookie: "SESSION=test; Path=/"])
            }
            if request.target.path == held, !hasSession { await gate.pass() }
            guard hasSession else { return .init(.seeOther, [.location: "/SAMLAuthLauncher?back=1"]) }
            return .init(.ok, [.contentType: "text/plain"], body: "item")
        }
    }

    private static func manager(_ transport: ScriptedTransport, _ web: ScriptedWebLoginStrategy)
        -> HttpConversationManager
    {
        var configurator = CommonAuthenticationConfigurator(session: HttpSession())
        configurator.webStrategies = WebStrategies(default: web)
        configurator.add(saml2: SessionServer.Provider())
        return HttpConversationManager(transport: transport, configurator)
    }

    private static func person() -> ScriptedWebLoginStrategy {
        ScriptedWebLoginStrategy { opened in
            let cookie = Cookie(
                name: "SESSION", value: "s1", domain: "sp.example.com", isHostOnly: true, path: "/", isSecure: true)
            return WebLoginOutcome(url: base + "/SAMLAuthLauncher?finishEndpointParam", cookies: [cookie])
        }
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .head])
    func areChallengesToWhatTheyWouldTurnIntoAGet(_ method: HTTPRequest.Method) async throws {
        let (transport, web) = (Self.transport(), Self.person())
        let manager = Self.manager(transport, web)
        let response = try await manager.data(
            for: HTTPRequest(method, TargetURL(Self.base + "/a")), body: method == .head ? nil : .text("whole"))
        #expect(response.status == .ok)
        #expect(web.opened.count == 1)
        #expect(transport.requests.map(\.target.path) == ["/a", "/a"])
        #expect(transport.requests.allSatisfy { $0.method == method })
    }

    @Test func areFollowedForAGet() async throws {
        let (transport, web) = (Self.transport(), Self.person())
        let response = try await Self.manager(transport, web).data(
            for: HTTPRequest(.get, TargetURL(Self.base + "/a")))
        #expect(response.text == "item")
        #expect(web.opened.count == 1)
        #expect(transport.requests.map(\.target.path) == ["/a", "/SAMLAuthLauncher", "/a"])
    }

    @Test func fromBeforeALoginLeadToNoOtherOneAndTakeNoCookieAway() async throws {
        let gate = Gate()
        let (transport, web) = (Self.transport(holding: "/slow", until: gate), Self.person())
        let manager = Self.manager(transport, web)
        async let slow = manager.data(for: HTTPRequest(.get, TargetURL(Self.base + "/slow")))
        while !transport.requests.contains(where: { $0.target.path == "/slow" }) { await Task.yield() }
        #expect(try await manager.data(for: HTTPRequest(.get, TargetURL(Self.base + "/fast"))).text == "item")
        gate.open()
        #expect(try await slow.text == "item")
        #expect(try await manager.data(for: HTTPRequest(.get, TargetURL(Self.base + "/later"))).text == "item")
        #expect(web.opened.count == 1)
        // The redirect was followed, however.
        #expect(transport.requests.count { $0.target.path == "/SAMLAuthLauncher" } == 2)
    }
}
