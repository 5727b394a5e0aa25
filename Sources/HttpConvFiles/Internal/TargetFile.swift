import Foundation
import HttpConversation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Where a file is to be once it is complete: links followed, with what is there now. Each call blocks.
struct TargetFile {
    /// Its place, links followed.
    let path: String
    /// What the file has once it is complete; until then it is its owner's alone.
    let mode: mode_t
    /// What is there now; nil: nothing.
    let previous: Identity?

    /// Tells whether a file is still the same one, with what was in it.
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

    /// - Parameter names: endings for names that nobody could guess
    /// - Returns: nil for what is written in place, such as a device or a pipe
    /// - Throws: ``/HttpConversation/ConversationError/Code/outputFailed``
    static func find(_ path: String, names: () -> String) throws(ConversationError) -> TargetFile? {
        var status = stat()
        let exists = stat(path, &status) == 0
        let reason = errno
        // Renaming onto a link that leads nowhere, or to itself, would replace it, and nobody asked for that.
        if !exists, lstat(path, &status) == 0 { throw failure("follow the link", path, reason) }
        if exists, status.st_mode & S_IFMT != S_IFREG { return nil }
        let final = exists ? (realpath(path) ?? path) : path
        if exists, access(final, W_OK) != 0 { throw failure("write to", path) }
        guard let mode = exists ? status.st_mode & 0o7777 : modeOfNewFile(beside: final, names) else {
            throw failure("open", path)
        }
        return TargetFile(path: final, mode: mode, previous: exists ? Identity(status) : nil)
    }

    /// The mode that any new file gets there, which only the kernel knows: asking for the process's mask means to change
    /// it for every thread. It is that of an empty file, which is gone at once.
    private static func modeOfNewFile(beside path: String, _ names: () -> String) -> mode_t? {
        let (descriptor, name) = create(mode: 0o666) { "\(path).\(names())" }
        guard descriptor >= 0 else { return nil }
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        let reason = errno
        close(descriptor)
        unlink(name)
        errno = reason
        return isKnown ? status.st_mode & 0o7777 : nil
    }

    /// Fails where somebody else has put something in its place, or written to it, meanwhile; blocking.
    func requireUnchanged() throws(ConversationError) {
        guard Identity(at: path) == previous else {
            throw ConversationError(
                .outputFailed,
                "\"\(TerminalText.sanitise(path))\" was replaced while it was downloaded, and stays as it is.")
        }
    }

    /// A new file; -1 with `errno` where there can be none.
    static func create(mode: mode_t, _ path: () -> String) -> (descriptor: Int32, path: String) {
        while true {
            let path = path()
            let descriptor = SystemCalls.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
            if descriptor >= 0 || errno != EEXIST { return (descriptor, path) }
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

private func realpath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}
