#if !canImport(FoundationNetworking)
import Foundation
import HttpConversation

extension UploadStream {
    /// The stream that URLSession reads from: one end of a pair. A thread writes the other end as there is room.
    func start() -> InputStream? {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(withBufferSize: Self.bufferSize, inputStream: &input, outputStream: &output)
        guard let input, let output else { return nil }
        // No other code has this end: URLSession reads from the other one.
        nonisolated(unsafe) let writing = output
        BoundWriter(writing, self).start()
        return input
    }

    static let bufferSize = 128 << 10
}

/// Writes a body into its end of a pair of streams, on its own thread: both reading and writing may block.
private final class BoundWriter: Sendable {
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
