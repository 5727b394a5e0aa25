import Foundation
import NIOCore

/// A file by its descriptor, with the least that reads or writes it.
final class OpenFile: Sendable {
    struct Failed: Error { let code = errno }

    private let descriptor: CInt

    init(reading file: URL) throws { descriptor = try Self.open(file, O_RDONLY) }
    init(writing file: URL) throws { descriptor = try Self.open(file, O_WRONLY | O_CREAT | O_TRUNC) }
    deinit { close(descriptor) }

    private static func open(_ file: URL, _ flags: CInt) throws -> CInt {
        let descriptor = Foundation.open(file.path(), flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failed() }
        return descriptor
    }

    /// The next block.
    func read() throws -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: Pattern.block.count)
        let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Pattern.block.count) { space in
            max(0, Foundation.read(descriptor, space.baseAddress, Pattern.block.count))
        }
        guard count > 0 else { throw Failed() }
        return buffer
    }

    func write(_ buffer: ByteBuffer) throws {
        try buffer.withUnsafeReadableBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard count > 0 else { throw Failed() }
                rest = rest.dropFirst(count)
            }
        }
    }
}
