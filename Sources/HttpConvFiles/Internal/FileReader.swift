import HttpConvConcurrency
import HttpConvPlatform
import HttpConvSystem
import HttpConversation

/// An open file, read in pieces outside the cooperative thread pool. The descriptor is closed with the last reference.
///
/// Opening and reading never wait for the writer of a pipe or for the user of a terminal: that wait holds no thread,
/// and ends when the task is cancelled.
final class FileReader: Sendable {
    private let descriptor: Int32
    /// The file's length. Nil for a pipe or device, and for a regular file that reports the size 0 and has bytes.
    let length: Int?
    /// The file's name as error messages show it.
    private let shown: String
    /// The file's identity when it was opened; nil unless it is a regular file.
    private let identity: TargetFile.Identity?
    private let kind: mode_t

    /// Whether the file can be read from its start any number of times. A pipe or device can be read once.
    var isRegular: Bool { identity != nil }

    /// Blocks.
    private init(path: String, shown: String) throws(ConversationError) {
        self.shown = shown
        var opened = SystemCalls.open(path, O_RDONLY | O_NONBLOCK)
        // Another program holds a lease on a regular file, and releases it soon.
        if opened < 0, errno == EWOULDBLOCK { opened = SystemCalls.open(path, O_RDONLY) }
        descriptor = opened
        guard descriptor >= 0 else { throw Self.failure("open", shown, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw Self.failure("examine", shown, code)
        }
        kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else {
            close(descriptor)
            throw Self.failure("read", shown, EISDIR)
        }
        let isRegular = kind == S_IFREG
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
        if kind != S_IFREG, kind != S_IFBLK {
            return RequestBodyStream { [self] in try await next(at: position) }
        }
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

    /// The next bytes of a pipe or character device; nil at the end. Waits for them without a thread.
    private func next(at position: StreamPosition) async throws -> [UInt8]? {
        var pause = Duration.milliseconds(1)
        while true {
            let isFirst = position.current == 0
            if let bytes = try await Blocking.run({ [self] () throws(ConversationError) in try available(isFirst) }) {
                position.advance(by: bytes.count)
                return bytes.isEmpty ? nil : bytes
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(25))
        }
    }

    /// The bytes that a pipe or character device has now; empty at the end, nil if there may be some later.
    ///
    /// - Parameter isFirst: whether nothing was read yet
    private func available(_ isFirst: Bool) throws(ConversationError) -> [UInt8]? {
        // The descriptor may be one of this process under another name (`/dev/fd/0`), and read without waiting only
        // after this question.
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // Soon after the last bytes there are mostly more.
        guard poll(&entry, 1, isFirst ? 0 : 2) > 0 else { return nil }
        var result = 0
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: RequestBodyStream.pieceSize) { buffer, count in
            result = SystemCalls.read(descriptor, UnsafeMutableRawBufferPointer(buffer))
            code = errno
            count = max(result, 0)
        }
        if result < 0, code == EAGAIN { return nil }
        if result < 0 { throw Self.failure("read", shown, code) }
        if result == 0, isFirst, kind == S_IFIFO, !Self.hadWriter(entry) { return nil }
        return bytes
    }

    /// Whether a named pipe without bytes had a writer. On Darwin nobody knows: a pipe that its writer leaves empty is
    /// waited for until the task is cancelled.
    private static func hadWriter(_ entry: pollfd) -> Bool {
        #if canImport(Darwin)
        false
        #else
        entry.revents & Int16(POLLHUP) != 0
        #endif
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
