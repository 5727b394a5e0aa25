import Foundation
import HttpC
import HttpConversationNIO
import LandscapeSupport
import Testing

/// Each await of each flow is cancelled once, also while a login that others may wait for is at its first, second, …
/// exchange. They are found by running the flow, not listed.
@Suite(.landscape, .timeLimit(.minutes(2))) struct EveryAwaitTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(arguments: AwaitFlow.allCases) func aCancelledLoginLeavesNothing(flow: AwaitFlow) async throws {
        let whole = try await run(flow, CountingExecutor())
        #expect(whole.error == nil && whole.parts > 1)
        print("awaits and exchanges of \(flow.rawValue): \(whole.parts - 1)")
        var cancelled = 0
        for part in 1...whole.parts {
            let (_, error) = try await run(flow, CountingExecutor(cancellingAt: part))
            guard let error else { continue }
            #expect(error.code == .cancelled, "at part \(part): \(error)")
            cancelled += 1
        }
        #expect(cancelled > 0)
    }

    /// Sends a request that needs the login, perhaps cancelled, and then another one, which must succeed.
    private func run(
        _ flow: AwaitFlow, _ executor: CountingExecutor
    ) async throws -> (parts: Int, error: ConversationError?) {
        // The next one-time code is due.
        if flow == .code { landscape.clock.advance(by: .seconds(31)) }
        let transport = AwaitFlow.transport(landscape)
        let client = try await flow.client(landscape, CountedTransport(transport: transport, executor: executor))
        var error: ConversationError?
        do {
            try await executor.run {
                let text = try await client.send()
                #expect(text.hasPrefix("200"), "\(text)")
            }
        } catch let failure as ConversationError { error = failure } catch is CancellationError {
            error = ConversationError(.cancelled, "")
        }
        let parts = executor.count
        if flow == .code { landscape.clock.advance(by: .seconds(31)) }
        let text = try await client.send()
        #expect(text.hasPrefix("200"), "after a login that was cancelled: \(text)")
        await transport.shutdown()
        return (parts, error)
    }
}
