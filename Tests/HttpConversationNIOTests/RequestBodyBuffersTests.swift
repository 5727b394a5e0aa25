import HttpConversation
import NIOCore
import Testing

@testable import HttpConversationNIO

/// The memory that uploads are sent from.
@Suite struct RequestBodyBuffersTests {
    private let buffers = RequestBodyBuffers()

    private func read(_ byte: UInt8, count: Int) throws -> ByteBuffer? {
        let piece = try buffers.piece(capacity: 1024) { memory in
            #expect(memory.count == 1024)
            memory.copyBytes(from: repeatElement(byte, count: count))
            return count
        }
        return piece.flatMap { all(of: [$0]).first }
    }

    private func all(of pieces: [RequestBodyBytes]) -> [ByteBuffer] {
        var rest = pieces[...]
        var all: [ByteBuffer] = []
        while case let first? = rest.first, let next = buffers.next(of: &rest) {
            if case .array = first { #expect(next.isCopied) } else { #expect(!next.isCopied) }
            all.append(next.buffer)
        }
        return all
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

    @Test func arraysAreJoined() {
        let joined = all(of: [.array([1, 2]), .array([3]), .buffer(ByteBuffer(bytes: [4])), .array([5])])
        #expect(joined == [ByteBuffer(bytes: [1, 2, 3]), ByteBuffer(bytes: [4]), ByteBuffer(bytes: [5])])
    }

    @Test func largeArraysAreDivided() {
        let bytes = (0..<5 << 17).map { UInt8(truncatingIfNeeded: $0 >> 7) }
        let pieces = [bytes[..<3], bytes[3..<400_000], bytes[400_000..<400_000], bytes[400_000...]]
        let buffers = all(of: pieces.map { .array($0) })
        #expect(buffers.allSatisfy { $0.readableBytes <= RequestBodyStream.pieceSize })
        #expect(buffers.flatMap(\.readableBytesView) == bytes)
    }

    @Test func theEndIsNoPiece() throws { #expect(try read(1, count: 0) == nil) }

    @Test func anErrorIsThrown() {
        #expect(throws: ConversationError.self) {
            try buffers.piece(capacity: 1024) { _ throws(ConversationError) in throw ConversationError.cancelled }
        }
    }
}
