import HttpConversation
import Synchronization

/// A request body that is read while it is sent.
struct StreamedBody: Sendable {
    /// Exactly so many bytes; nil sends it chunked.
    let length: Int?
    /// Opens it for one sending.
    let open: @Sendable () async throws -> RequestBodyStream

    /// Bytes in memory, in pieces: a connection's queue stays short and progress is seen.
    static func slices(of bytes: [UInt8]) -> StreamedBody {
        StreamedBody(length: bytes.count) {
            let position = Position()
            return RequestBodyStream {
                let start = position.advance(by: FileReader.pieceSize)
                guard start < bytes.count else { return nil }
                return Array(bytes[start..<min(start + FileReader.pieceSize, bytes.count)])
            }
        }
    }
}

/// How far a body has been read. Shared between the calls of its stream.
final class Position: Sendable {
    private let offset = Atomic<Int>(0)

    var current: Int { offset.load(ordering: .relaxed) }

    /// Moves on and returns where it stood.
    @discardableResult
    func advance(by count: Int) -> Int { offset.wrappingAdd(count, ordering: .relaxed).oldValue }
}
