import Foundation
import HttpConvConcurrency
import HttpConversation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An open file, and where its bytes belong in the end. Each call blocks, and so runs off the cooperative pool.
final class FileWriter: ResponseBodyWriter {
    /// A file that takes the place of another one.
    private struct Replacement {
        let path: String
        let final: String
        /// What it has once it is complete; until then it is its owner's alone.
        let mode: mode_t
    }

    private let shownPath: String
    private let descriptor: Int32
    /// Nil for what is written in place.
    private let replacement: Replacement?
    private let isOpen = Atomic(true)

    /// Blocking.
    ///
    /// - Parameter names: endings for names that nobody could guess
    init(_ path: String, names: () -> String) throws(ConversationError) {
        shownPath = path
        var status = stat()
        let exists = stat(path, &status) == 0
        let reason = errno
        // Renaming onto a link that leads nowhere, or to itself, would replace it, and nobody asked for that.
        if !exists, lstat(path, &status) == 0 { throw Self.failure("follow the link", path, reason) }
        if exists, status.st_mode & S_IFMT != S_IFREG {
            replacement = nil
            descriptor = systemOpen(path, O_WRONLY | O_CLOEXEC, 0)
        } else {
            let final = exists ? (realpath(path) ?? path) : path
            if exists, access(final, W_OK) != 0 { throw Self.failure("write to", path) }
            guard let mode = exists ? status.st_mode & 0o7777 : Self.modeOfNewFile(beside: final, names) else {
                throw Self.failure("open", path)
            }
            let (descriptor, name) = Self.create(beside: final, mode: 0o600, names)
            self.descriptor = descriptor
            replacement = Replacement(path: name, final: final, mode: mode)
        }
        if descriptor < 0 {
            isOpen.store(false, ordering: .relaxed)
            throw Self.failure("open", path)
        }
    }

    /// The mode that any new file gets there, which only the kernel knows: asking for the process's mask means to change
    /// it for every thread. It is that of an empty file, which is gone at once.
    private static func modeOfNewFile(beside path: String, _ names: () -> String) -> mode_t? {
        let (descriptor, name) = create(beside: path, mode: 0o666, names)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        let reason = errno
        close(descriptor)
        unlink(name)
        errno = reason
        return isKnown ? status.st_mode & 0o7777 : nil
    }

    /// A new file; -1 with `errno` where there can be none.
    private static func create(
        beside path: String, mode: mode_t, _ names: () -> String
    ) -> (descriptor: Int32, path: String) {
        while true {
            let name = "\(path).\(names())"
            let descriptor = systemOpen(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            if descriptor >= 0 || errno != EEXIST { return (descriptor, name) }
        }
    }

    func write(_ chunk: [UInt8]) async throws(ConversationError) {
        try await Blocking.run { [self] () throws(ConversationError) in try append(chunk) }
    }

    func complete() async throws(ConversationError) {
        try await Blocking.run { [self] () throws(ConversationError) in try commit() }
    }

    func discard() async {
        await Blocking.run { [self] in abandon() }
    }

    deinit { abandon() }

    private func append(_ chunk: [UInt8]) throws(ConversationError) {
        var offset = 0
        while offset < chunk.count {
            let count = chunk.withUnsafeBytes { buffer -> Int in
                guard let base = buffer.baseAddress else { return 0 }
                return systemWrite(descriptor, base + offset, buffer.count - offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("write to", shownPath) }
            offset += count
        }
    }

    private func commit() throws(ConversationError) {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        guard let replacement else {
            guard close(descriptor) == 0 else { throw Self.failure("write to", shownPath) }
            return
        }
        // Where a file system has no modes, it stays as it is.
        _ = fchmod(descriptor, replacement.mode)
        let isWritten = fsync(descriptor) == 0
        var reason = errno
        let isClosed = close(descriptor) == 0
        if isWritten, !isClosed { reason = errno }
        if isWritten, isClosed {
            if rename(replacement.path, replacement.final) == 0 { return }
            reason = errno
        }
        unlink(replacement.path)
        throw Self.failure("complete", shownPath, reason)
    }

    /// Harmless once it is complete.
    private func abandon() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        close(descriptor)
        if let replacement { unlink(replacement.path) }
    }

    private static func failure(_ what: String, _ path: String, _ code: Int32 = errno) -> ConversationError {
        let reason = String(cString: strerror(code))
        return ConversationError(
            .outputFailed,
            "Cannot \(what) \"\(TerminalText.sanitise(path))\": \(reason). Nothing was left half-written.")
    }
}

private func realpath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
