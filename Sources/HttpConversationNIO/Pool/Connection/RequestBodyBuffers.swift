import HttpConversation
import NIOCore
import Synchronization

/// The bytes of a piece of a request's body.
enum RequestBodyBytes: Equatable {
    case array([UInt8])
    case buffer(ByteBuffer)

    var count: Int {
        switch self {
        case .array(let bytes): bytes.count
        case .buffer(let buffer): buffer.readableBytes
        }
    }

    /// The bytes as they are written. An array is copied on the event loop: memory that another thread allocates for the
    /// copy costs more than the copy.
    func buffer(_ allocator: ByteBufferAllocator) -> ByteBuffer {
        switch self {
        case .array(let bytes): allocator.buffer(bytes: bytes)
        case .buffer(let buffer): buffer
        }
    }
}

/// The memory that an upload reads a file into. Buffers are used again once they are sent: memory that one thread
/// allocates and another one frees would be returned to the system, and fetched again, for each piece.
final class RequestBodyBuffers: RequestBodyMemory {
    /// As many as a full pipe has, and one before and one after it.
    private static let count = RequestBodyPipe.window / RequestBodyStream.pieceSize + 2

    private let pool = Mutex(
        NIOPooledRecvBufferAllocator(
            capacity: count, recvAllocator: FixedSizeRecvByteBufferAllocator(capacity: RequestBodyStream.pieceSize)))

    func piece(of bytes: [UInt8]) -> RequestBodyBytes { .array(bytes) }

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
}
