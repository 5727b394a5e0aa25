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
#endif
