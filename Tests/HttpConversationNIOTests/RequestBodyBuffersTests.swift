import HttpConversation
import NIOCore
import Testing

@testable import HttpConversationNIO

/// The memory that files are read into.
@Suite struct RequestBodyBuffersTests {
    private let buffers = RequestBodyBuffers()

    private func read(_ byte: UInt8, count: Int) throws -> ByteBuffer? {
        let piece = try buffers.piece(capacity: 1024) { memory in
            #expect(memory.count == 1024)
            memory.copyBytes(from: repeatElement(byte, count: count))
            return count
        }
        return piece?.buffer(ByteBufferAllocator())
    }

    @Test func aPieceKeepsItsBytesWhileItIsNeeded() throws {
        let pieces = try (0..<20).map { try read($0, count: Int($0) + 1) }
        for (index, piece) in pieces.enumerated() {
            #expect(piece == ByteBuffer(repeating: UInt8(index), count: index + 1))
        }
    }

    @Test func aPieceThatWasSentGivesItsMemoryToAnother() throws {
        func address() throws -> UnsafeRawPointer? {
            try read(1, count: 1024)?.withUnsafeReadableBytes { $0.baseAddress }
        }
        #expect(try address() == address())
    }

    @Test func theEndIsNoPiece() throws { #expect(try read(1, count: 0) == nil) }

    @Test func anErrorIsThrown() {
        #expect(throws: ConversationError.self) {
            try buffers.piece(capacity: 1024) { _ throws(ConversationError) in throw ConversationError.cancelled }
        }
    }
}
