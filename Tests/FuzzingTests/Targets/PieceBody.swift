import HttpConversation
import Synchronization

/// A body that arrives in pieces, without waiting.
final class PieceBody: TransportBody, Sendable {
    private let pieces: Mutex<ArraySlice<[UInt8]>>

    init(_ pieces: [[UInt8]]) { self.pieces = Mutex(pieces[...]) }

    func next() async throws(ConversationError) -> [UInt8]? { pieces.withLock { $0.popFirst() } }

    func cancel() { pieces.withLock { $0 = [] } }
}
