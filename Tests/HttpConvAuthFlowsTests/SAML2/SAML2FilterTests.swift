import HTTPTypes
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
}
