import Foundation
import HttpConvAuthFlows
import NIOPosix

// The compiler takes `stat` for a member of one of these, whichever it loads first.
#if canImport(Glibc)
import CDispatch
import CoreFoundation
import Dispatch
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Where the processes of one user note the last one-time code that was used of a secret. It has the number of the
/// period, in decimal; its name is a hash of the secret.
struct TOTPUseFile: Sendable {
    private let path: String

    /// - Parameter directory: its path
    init(directory: String, fingerprint: String) {
        path = directory + (directory.hasSuffix("/") ? "" : "/") + "totp-\(fingerprint)"
    }

    /// Takes a period unless somebody has it.
    ///
    /// - Returns: nil where it is now ours, else the last one that somebody has
    func claim(_ counter: UInt64) async throws -> UInt64? {
        let descriptor = try openFile()
        defer { close(descriptor) }
        // Others hold the lock for microseconds; waiting for it in the kernel would hold a thread of the pool.
        for _ in 0..<500 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return try exchange(counter, in: descriptor) }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw failure("is locked by another process")
    }

    private func openFile() throws(WebLoginError) -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("cannot be opened: \(String(cString: strerror(errno)))") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else {
            close(descriptor)
            throw failure("is no file that only its owner, this user, can use")
        }
        return descriptor
    }

    private func exchange(_ counter: UInt64, in descriptor: Int32) throws(WebLoginError) -> UInt64? {
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        let last = UInt64(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).prefix { $0.isNumber })
        if let last, TOTPCodes.isTaken(counter, last: last) { return last }
        let text = Array("\(counter)\n".utf8)
        guard pwrite(descriptor, text, text.count, 0) == text.count, ftruncate(descriptor, off_t(text.count)) == 0
        else { throw failure("cannot be written: \(String(cString: strerror(errno)))") }
        return nil
    }

    private func failure(_ why: String) -> WebLoginError {
        WebLoginError(
            .invalidConfiguration,
            "The file in the state directory that notes used one-time codes \(why). Without it a code might be used twice."
        )
    }
}
