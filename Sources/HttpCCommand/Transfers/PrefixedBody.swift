import HttpC
import Synchronization

/// A body with bytes before it: the head that -i prints.
final class PrefixedBody: TransportBody {
    private let prefix: Mutex<[UInt8]?>
    private let body: ResponseBody

    init(_ prefix: [UInt8], _ body: ResponseBody) {
        self.prefix = Mutex(prefix)
        self.body = body
    }

    func next() async throws(ConversationError) -> [UInt8]? {
        let first = prefix.withLock { prefix in
            defer { prefix = nil }
            return prefix
        }
        if let first { return first }
        return try await body.next()
    }

    func cancel() {}
}
