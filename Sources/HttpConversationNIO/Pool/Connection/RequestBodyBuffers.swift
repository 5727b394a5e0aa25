import HttpConversation
import NIOCore
import Synchronization

/// The bytes of a piece of a request's body.
enum RequestBodyBytes: Equatable {
    case array(ArraySlice<UInt8>)
    case buffer(ByteBuffer)

    var count: Int {
        switch self {
        case .array(let bytes): bytes.count
        case .buffer(let buffer): buffer.readableBytes
        }
    }
}

/// The memory that an upload is sent from. Buffers are used again once they are sent: else much memory would be
/// returned to the system, and fetched again, for each piece.
final class RequestBodyBuffers: RequestBodyMemory {
    private static let size = RequestBodyStream.pieceSize
    /// Enough for a full pipe, for the same number of buffers that are being sent, and for one before and one after
    /// them.
    private static let count = 2 * RequestBodyWindow.largestForFiles / size + 2

    private let pool = Mutex(
        NIOPooledRecvBufferAllocator(
            capacity: count, recvAllocator: FixedSizeRecvByteBufferAllocator(capacity: size)))

    func piece(of bytes: [UInt8]) -> RequestBodyBytes { .array(bytes[...]) }

    func piece(
        capacity: Int, filledBy read: (UnsafeMutableRawBufferPointer) throws(ConversationError) -> Int
    ) throws(ConversationError) -> RequestBodyBytes? {
        let (buffer, result) = pool.withLock { pool in
            pool.buffer(allocator: ByteBufferAllocator()) { buffer in
                var result = Result<Int, ConversationError>.success(0)
                buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity) { memory in
                    result = Result { () throws(ConversationError) in
                        try read(UnsafeMutableRawBufferPointer(rebasing: memory[..<capacity]))
                    }
                    return (try? result.get()) ?? 0
                }
                return result
            }
        }
        return try result.get() == 0 ? nil : .buffer(buffer)
    }

    /// Takes the next bytes to write from pieces. Arrays are copied, as many as fit into one buffer.
    func next(of pieces: inout ArraySlice<RequestBodyBytes>) -> (buffer: ByteBuffer, isCopied: Bool)? {
        switch pieces.first {
        case .array: return (copyArrays(of: &pieces), true)
        case .buffer(let buffer):
            pieces.removeFirst()
            return (buffer, false)
        case nil: return nil
        }
    }

    private func copyArrays(of rest: inout ArraySlice<RequestBodyBytes>) -> ByteBuffer {
        let count = rest.reduce(0) { $0 + $1.count }
        guard count >= Self.size / 2 else {
            var buffer = ByteBufferAllocator().buffer(capacity: count)
            Self.moveArrays(of: &rest, to: &buffer)
            return buffer
        }
        return pool.withLock { pool in
            pool.buffer(allocator: ByteBufferAllocator()) { Self.moveArrays(of: &rest, to: &$0) }.0
        }
    }

    private static func moveArrays(of rest: inout ArraySlice<RequestBodyBytes>, to buffer: inout ByteBuffer) {
        while case .array(let bytes)? = rest.first, buffer.writableBytes > 0 {
            let part = bytes.prefix(buffer.writableBytes)
            buffer.writeBytes(part)
            if part.count < bytes.count {
                rest[rest.startIndex] = .array(bytes[part.endIndex...])
            } else {
                rest.removeFirst()
            }
        }
    }
}
