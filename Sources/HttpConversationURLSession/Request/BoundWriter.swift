#if !canImport(FoundationNetworking)
import Foundation

/// Writes a body into its end of a pair of streams, on its own thread: both reading and writing may block.
final class BoundWriter: Sendable {
    private let source: UploadStream
    // Used only by that thread.
    nonisolated(unsafe) private let output: OutputStream

    init(_ output: sending OutputStream, _ source: UploadStream) {
        self.source = source
        self.output = output
    }

    func start() { Thread.detachNewThread { self.run() } }

    private func run() {
        output.open()
        defer { output.close() }
        while case .bytes(let bytes) = source.read(atMost: UploadStream.bufferSize) {
            guard write(bytes) else { return }
        }
    }

    /// Returns false if the other end is no longer read.
    private func write(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            var rest = buffer[...]
            while let start = UnsafeBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                // Blocks until there is room.
                let count = output.write(start, maxLength: rest.count)
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
}
#endif
