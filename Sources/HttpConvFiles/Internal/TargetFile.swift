import HttpConvPlatform
import HttpConvSystem
import HttpConversation

/// The final place of a file: its path with links followed, and the file that is there now. Each call blocks.
struct TargetFile {
    /// The path, with links followed.
    let path: String
    /// The mode of the complete file; until then only its owner can read it.
    let mode: mode_t
    /// The file that is there now; nil: none.
    let previous: Identity?

    /// Tells whether a file is still the same, with the same content.
    struct Identity: Equatable {
        private let device: UInt64
        private let inode: UInt64
        private let size: Int
        private let seconds: Int
        private let nanoseconds: Int

        init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
            size = Int(status.st_size)
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            seconds = Int(time.tv_sec)
            nanoseconds = Int(time.tv_nsec)
        }

        init?(at path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            self.init(status)
        }
    }

    /// - Parameter names: random endings for file names
    /// - Returns: nil for files that are written in place, such as a device or a pipe
    /// - Throws: ``/HttpConversation/ConversationError/Code/outputFailed``
    static func find(_ path: String, names: () -> String) throws(ConversationError) -> TargetFile? {
        var (status, link) = (stat(), stat())
        let exists = stat(path, &status) == 0
        let reason = errno
        // Renaming would replace a link that is dangling or leads to itself, which the caller did not ask for.
        if !exists, lstat(path, &status) == 0 { throw failure("follow the link", path, reason) }
        if exists, status.st_mode & S_IFMT != S_IFREG { return nil }
        let resolved = exists ? realpath(path) : nil
        // Without a resolved path, such as one that is not UTF-8, renaming would replace a link and not its target.
        if exists, resolved == nil, lstat(path, &link) == 0, link.st_mode & S_IFMT == S_IFLNK {
            throw failure("follow the link", path, EILSEQ)
        }
        let final = resolved ?? path
        if exists, access(final, W_OK) != 0 { throw failure("write to", path) }
        guard let mode = exists ? status.st_mode & 0o7777 : modeOfNewFile(beside: final, names) else {
            throw failure("open", path)
        }
        return TargetFile(path: final, mode: mode, previous: exists ? Identity(status) : nil)
    }

    /// The mode of a new file in that folder. Only the kernel knows it: reading the process's mask would mean changing
    /// it for every thread. So this creates an empty file and removes it at once.
    private static func modeOfNewFile(beside path: String, _ names: () -> String) -> mode_t? {
        guard let probe = DraftFile(mode: 0o666, at: { "\(path).\(names())" }) else { return nil }
        var status = stat()
        let isKnown = fstat(probe.descriptor, &status) == 0
        let reason = errno
        probe.discard()
        errno = reason
        return isKnown ? status.st_mode & 0o7777 : nil
    }

    /// Throws if another process has replaced the file or written to it meanwhile. Blocks.
    func requireUnchanged() throws(ConversationError) {
        guard Identity(at: path) == previous else {
            throw ConversationError(
                .outputFailed,
                "\"\(TerminalText.sanitise(path))\" was replaced while it was downloaded, and stays as it is.")
        }
    }

    static func failure(
        _ what: String, _ path: String, _ code: Int32 = errno, hint: String = " Nothing was left half-written."
    ) -> ConversationError {
        let reason = String(cString: strerror(code))
        return ConversationError(
            .outputFailed, "Cannot \(what) \"\(TerminalText.sanitise(path))\": \(reason).\(hint)")
    }
}

/// - Returns: nil also for a path that is not UTF-8
private func realpath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(validatingCString: resolved)
}
