/// Makes the pieces of a request's body. A transport may make pieces of its own kind, so that a file is read into the
/// memory that it sends from.
package protocol RequestBodyMemory<Piece>: Sendable {
    associatedtype Piece: Sendable

    func piece(of bytes: [UInt8]) -> Piece

    /// A piece of up to `capacity` bytes; nil if there are none.
    ///
    /// - Parameter fill: fills it from its start, and returns the number of bytes
    func piece(
        capacity: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws(ConversationError) -> Int
    ) throws(ConversationError) -> Piece?
}

/// Makes pieces that are arrays.
struct ArrayMemory: RequestBodyMemory {
    func piece(of bytes: [UInt8]) -> [UInt8] { bytes }

    func piece(
        capacity: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws(ConversationError) -> Int
    ) throws(ConversationError) -> [UInt8]? {
        var failure: ConversationError?
        let piece = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            do throws(ConversationError) { count = try fill(.init(buffer)) } catch { failure = error }
        }
        if let failure { throw failure }
        return piece.isEmpty ? nil : piece
    }
}
