import Synchronization
import Testing

@testable import HttpConversation

/// A server may send its bytes one by one: the cost of reading ahead grows linearly.
@Suite(.timeLimit(.minutes(1))) struct SmallChunksTests {
    private final class OneByOne: TransportBody {
        static let count = 200_000
        private let left = Mutex(count)

        func next() async throws(ConversationError) -> [UInt8]? {
            left.withLock { left in
                guard left > 0 else { return nil }
                left -= 1
                return [0x78]
            }
        }

        func cancel() { left.withLock { $0 = 0 } }
    }

    @Test func readAheadIsBounded() async throws {
        let body = ResponseBody(OneByOne())
        await body.finish(within: .seconds(20), clock: ContinuousClock())
        #expect(!body.wasGivenUp)
        #expect(try await body.collect(upTo: OneByOne.count).count == OneByOne.count)
    }
}
