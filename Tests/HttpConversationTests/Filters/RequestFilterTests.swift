import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

/// The methods of request filters that are called, and those that need not be.
@Suite(.timeLimit(.minutes(1))) struct RequestFilterTests {
    /// Notes its calls, and marks requests at once unless their path starts with `/slow`.
    private final class Marker: RequestFilter {
        let preparesRequests: Bool
        private let state = Mutex<[String]>([])
        var calls: [String] { state.withLock { $0 } }

        init(preparesRequests: Bool) { self.preparesRequests = preparesRequests }

        private func mark(_ call: String, _ request: inout ConversationRequest) {
            state.withLock { $0.append(call) }
            request.headerFields[.authorization] = call
        }

        func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
            state.withLock { $0.append("prepare") }
        }

        func authorizeAtOnce(_ request: inout ConversationRequest, in context: ConversationContext) throws -> Bool {
            if request.target.path == "/wrong" { throw Wrong() }
            guard !request.target.path.hasPrefix("/slow") else { return false }
            mark("at once", &request)
            return true
        }

        func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
            mark("authorize", &request)
        }
    }

    private struct Wrong: Error {}

    @Test func aFilterThatIsDoneAtOnceIsNotAskedAgain() async throws {
        let filter = Marker(preparesRequests: true)
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = testManager(transport) { $0.add(filter) }
        _ = try await manager.get("http://h/quick")
        #expect(filter.calls == ["prepare", "at once"])
        _ = try await manager.get("http://h/slow")
        #expect(filter.calls == ["prepare", "at once", "prepare", "authorize"])
        #expect(transport.requests.map { $0.headerFields[.authorization] } == ["at once", "authorize"])
    }

    @Test func aFilterThatPreparesNothingIsNotCalledForIt() async throws {
        let filter = Marker(preparesRequests: false)
        let manager = testManager(ScriptedTransport { _, _ in .init(.ok) }) { $0.add(filter) }
        _ = try await manager.get("http://h/quick")
        #expect(filter.calls == ["at once"])
    }

    @Test func theCallersAuthorizationStays() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = testManager(transport) { $0.add(Marker(preparesRequests: false)) }
        for path in ["quick", "slow"] {
            _ = try await manager.get("http://h/\(path)", fields: [.authorization: "own"])
        }
        #expect(transport.requests.map { $0.headerFields[.authorization] } == ["own", "own"])
    }

    @Test func anErrorNamesTheFilter() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = testManager(transport) { $0.add(Marker(preparesRequests: false), id: "mine") }
        let error = await #expect(throws: ConversationError.self) { try await manager.get("http://h/wrong") }
        #expect(error?.code == .filterFailed && error?.underlyingError is Wrong)
        #expect(error?.message.contains("mine") == true)
        #expect(transport.requests.isEmpty)
    }
}
