import HttpConvConcurrency
import HttpConvPlatform
import HttpConvSystem
import HttpConversation

/// An open file, read in pieces outside the cooperative thread pool. The descriptor is closed with the last reference.
final class FileReader: Sendable {
    private let descriptor: Int32
    /// The file's length; nil for a pipe or another file without a length.
    let length: Int?
    private let shown: String
    /// The file's identity when it was opened; nil if it has no length.
    private let identity: TargetFile.Identity?

    /// Blocks.
    private init(path: String, shown: String) throws(ConversationError) {
        self.shown = shown
        descriptor = SystemCalls.open(path, O_RDONLY)
        guard descriptor >= 0 else { throw Self.failure("open", shown, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw Self.failure("examine", shown, code)
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw Self.failure("read", shown, EISDIR)
        }
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        length = isRegular ? Int(status.st_size) : nil
        identity = isRegular ? TargetFile.Identity(status) : nil
    }

    deinit { close(descriptor) }

    static func open(_ url: URL) async throws(ConversationError) -> FileReader {
        let path = url.path(percentEncoded: false)
        let shown = url.lastPathComponent
        return try await Blocking.run { () throws(ConversationError) in try FileReader(path: path, shown: shown) }
    }

    /// A stream that reads from the start.
    func stream() -> RequestBodyStream {
        let position = StreamPosition()
        return RequestBodyStream(blocking: { [self] (memory) throws(ConversationError) in
            let count = try read(into: memory, at: position.current)
            position.advance(by: count)
            return count
        })
    }

    private func read(into memory: UnsafeMutableRawBufferPointer, at offset: Int) throws(ConversationError) -> Int {
        let count = SystemCalls.read(descriptor, memory, at: length == nil ? nil : offset)
        if count < 0 { throw Self.failure("read", shown, errno) }
        try requireUnchanged()
        return count
    }

    /// Throws if the file has changed. Checked before each piece is delivered, the last one too, so that a changed file
    /// is never sent completely.
    private func requireUnchanged() throws(ConversationError) {
        guard let identity else { return }
        var status = stat()
        guard fstat(descriptor, &status) == 0, TargetFile.Identity(status) == identity else {
            throw ConversationError(
                .bodyUnavailable,
                "\"\(TerminalText.sanitise(shown))\" changed while it was sent, and the rest of it was not sent.")
        }
    }

    private static func failure(_ what: String, _ name: String, _ code: Int32) -> ConversationError {
        ConversationError(
            .bodyUnavailable,
            "Cannot \(what) \"\(TerminalText.sanitise(name))\" to send it: \(String(cString: strerror(code))).")
    }
}
