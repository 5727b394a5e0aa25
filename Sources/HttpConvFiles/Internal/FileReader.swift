import HttpConvConcurrency
import HttpConvPlatform
import HttpConvSystem
import HttpConversation

/// An open file, read in pieces outside the cooperative thread pool. The descriptor is closed with the last reference.
final class FileReader: Sendable {
    private let descriptor: Int32
    /// The file's length. Nil for a pipe or device, and for a regular file that reports the size 0 and has bytes.
    let length: Int?
    /// The file's name as error messages show it.
    private let shown: String
    /// The file's identity when it was opened; nil unless it is a regular file.
    private let identity: TargetFile.Identity?

    /// Whether the file can be read from its start any number of times. A pipe or device can be read once.
    var isRegular: Bool { identity != nil }

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
        let count = isRegular && status.st_size == 0 ? Self.firstBytes(of: descriptor) : 0
        guard count >= 0 else {
            let code = errno
            close(descriptor)
            throw Self.failure("read", shown, code)
        }
        length = isRegular && count == 0 ? Int(status.st_size) : nil
        identity = isRegular ? TargetFile.Identity(status) : nil
    }

    deinit { close(descriptor) }

    /// Tries to read the first byte of a file that reports the size 0. Files of /proc and of some FUSE file systems do,
    /// because their bytes are made when they are read.
    ///
    /// - Returns: 0 or 1; negative, with `errno`, on failure
    private static func firstBytes(of descriptor: Int32) -> Int {
        var byte: UInt8 = 0
        return withUnsafeMutableBytes(of: &byte) { SystemCalls.read(descriptor, $0, at: 0) }
    }

    static func open(_ url: URL) async throws(ConversationError) -> FileReader {
        let path = url.path(percentEncoded: false)
        let shown = TerminalText.sanitise(url.lastPathComponent)
        return try await Blocking.run { () throws(ConversationError) in try FileReader(path: path, shown: shown) }
    }

    /// A stream that reads a regular file from its start, and a pipe or device from where the last read ended.
    func stream() -> RequestBodyStream {
        let position = StreamPosition()
        return RequestBodyStream(blocking: { [self] (memory) throws(ConversationError) in
            let count = try read(into: memory, at: position.current)
            position.advance(by: count)
            return count
        })
    }

    private func read(into memory: UnsafeMutableRawBufferPointer, at offset: Int) throws(ConversationError) -> Int {
        let count = SystemCalls.read(descriptor, memory, at: isRegular ? offset : nil)
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
                "\"\(shown)\" changed while it was sent, and the rest of it was not sent.")
        }
    }

    private static func failure(_ what: String, _ name: String, _ code: Int32) -> ConversationError {
        ConversationError(
            .bodyUnavailable,
            "Cannot \(what) \"\(name)\" to send it: \(String(cString: strerror(code))).")
    }
}
