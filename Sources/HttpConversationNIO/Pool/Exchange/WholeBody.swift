import HttpConversation
import Synchronization

/// A body that arrived together with its head.
final class WholeBody: TransportBody, Sendable {
    private let bytes: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

    func next() async throws(ConversationError) -> [UInt8]? {
        let rest = bytes.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
        return rest.isEmpty ? nil : rest
    }

    func cancel() { bytes.withLock { $0 = [] } }
}
