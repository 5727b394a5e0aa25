public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that receives a response body: complete or not at all (security rule S22).
///
/// A regular or missing file is written beside its place and renamed once it is complete, keeping the mode of the one it
/// replaces and following a symbolic link to its target; a link that leads nowhere is an error. Devices and pipes are
/// written in place.
public struct OutputFile: Sendable {
    private let path: String

    /// An output file by its URL.
    public init(_ url: URL) { path = url.path(percentEncoded: false) }

    /// Writes the chunks of a body.
    ///
    /// - Parameter progress: called with the number of bytes written so far
    /// - Throws: ``ConversationError/Code/outputFailed`` for everything about the file, else the body's own error
    public func write(
        _ body: ResponseBody, progress: (Int) -> Void = { _ in }
    ) async throws(ConversationError) {
        let destination = try Destination(path)
        do throws(ConversationError) {
            var written = 0
            while let chunk = try await body.next() {
                try destination.append(chunk)
                written += chunk.count
                progress(written)
            }
            try destination.commit()
        } catch {
            destination.discard()
            throw error
        }
    }

    /// An open descriptor, and where its bytes belong in the end.
    private struct Destination {
        let descriptor: Int32
        let shownPath: String
        let temporary: String?
        let final: String

        init(_ path: String) throws(ConversationError) {
            shownPath = path
            var status = stat()
            let exists = stat(path, &status) == 0
            let reason = errno
            // Renaming onto a link that leads nowhere, or to itself, would replace it, and nobody asked for that.
            if !exists, lstat(path, &status) == 0 { throw Self.failure("follow the link", path, reason) }
            final = exists ? (realpath(path) ?? path) : path
            if exists, status.st_mode & S_IFMT != S_IFREG {
                temporary = nil
                descriptor = open(path, O_WRONLY | O_CLOEXEC)
            } else {
                if exists, access(final, W_OK) != 0 { throw Self.failure("write to", path) }
                // The kernel applies the mask: reading it would mean to change it, for every thread.
                (descriptor, temporary) = Self.create(beside: final, mode: exists ? 0o600 : 0o666)
                if exists, descriptor >= 0 { fchmod(descriptor, status.st_mode & 0o7777) }
            }
            if descriptor < 0 { throw Self.failure("open", path) }
        }

        /// A new file with a name that nobody could guess; -1 with `errno` where there can be none.
        private static func create(beside path: String, mode: mode_t) -> (descriptor: Int32, path: String) {
            while true {
                let name = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36))"
                let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
                if descriptor >= 0 || errno != EEXIST { return (descriptor, name) }
            }
        }

        func append(_ chunk: [UInt8]) throws(ConversationError) {
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

        func commit() throws(ConversationError) {
            guard let temporary else {
                guard close(descriptor) == 0 else { throw Self.failure("write to", shownPath) }
                return
            }
            guard fsync(descriptor) == 0, close(descriptor) == 0, rename(temporary, final) == 0 else {
                throw Self.failure("complete", shownPath)
            }
        }

        func discard() {
            close(descriptor)
            if let temporary { unlink(temporary) }
        }

        private static func failure(_ what: String, _ path: String, _ code: Int32 = errno) -> ConversationError {
            let reason = String(cString: strerror(code))
            return ConversationError(
                .outputFailed,
                "Cannot \(what) \"\(TerminalText.sanitise(path))\": \(reason). Nothing was left half-written.")
        }
    }
}

private func realpath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
