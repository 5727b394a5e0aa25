import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

@Suite(.timeLimit(.minutes(1))) struct TunnelTrialTests {
    /// A tunnel proves the credential: waiters go on before the server inside it answers.
    @Test func interactionsDoNotWaitForTheServer() async throws {
        let proxy = ScriptedProxy(accepting: "Basic right")
        let slow = Gate()
        let isThere = Gate()
        let transport = ScriptedTransport(capabilities: .proxies) { request, _ throws(ConversationError) in
            let answer = try await proxy.answer(request)
            guard let source = request.options.proxy?.authorization else { return answer }
            source.received(HTTPResponse(status: .ok))
            if request.target.origin.host == "slow" {
                isThere.open()
                try? await slow.wait()
            }
            return answer
        }
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = .always(try .testing())
        let filter = ProxyTokens("right")
        configuration.challengeFilters.add(filter)
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        async let first = manager.get("https://slow/")
        try await isThere.wait()
        #expect(try await manager.get("https://quick/").status == .ok)
        slow.open()
        #expect(try await first.status == .ok)
        #expect(proxy.values == [nil, "Basic right", "Basic right"])
        #expect(filter.asked.value.count == 1)
    }
}
