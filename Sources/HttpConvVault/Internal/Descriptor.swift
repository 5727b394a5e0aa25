internal import Foundation

/// An open file descriptor, closed when it is released.
struct Descriptor: ~Copyable {
    let number: Int32

    private init(number: Int32) { self.number = number }
    deinit { close(number) }

    static func open(_ path: String, _ flags: Int32, what: String) throws(DataVaultError) -> Descriptor {
        var number: Int32
        repeat { number = Foundation.open(path, flags, 0o600) } while number < 0 && errno == EINTR
        guard number >= 0 else { throw openFailure(errno, path, what) }
        return Descriptor(number: number)
    }

    private static func openFailure(_ error: Int32, _ path: String, _ what: String) -> DataVaultError {
        let cause = SystemFailure(call: "open", number: error)
        switch error {
        case ENOENT: return DataVaultError(.notFound, "There is no \(what) at \(path).", underlyingError: cause)
        case EEXIST:
            return DataVaultError(.alreadyExists, "There is something at \(path) already.", underlyingError: cause)
        // Linux returns ENOTDIR for a link if a directory is asked for.
        case ELOOP, ENOTDIR, EMLINK:
            return DataVaultError(
                .unsafeFile, "\(path) is a link or of the wrong kind; the \(what) must be given by its own path.",
                underlyingError: cause)
        default: return SystemErrors.error("open", error, path)
        }
    }

    func status(of path: String) throws(DataVaultError) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw SystemErrors.error("fstat", errno, path) }
        return status
    }

    /// Reads until the buffer is full or the file ends.
    func read(into buffer: inout [UInt8], path: String) throws(DataVaultError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = buffer.withUnsafeMutableBytes {
                Foundation.read(number, $0.baseAddress?.advanced(by: filled), $0.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemErrors.error("read", errno, path) }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    /// Writes everything and waits until it is on the disk.
    func writeAll(_ bytes: [UInt8], path: String) throws(DataVaultError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.write(number, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemErrors.error("write", errno, path) }
            written += count
        }
        guard fsync(number) == 0 else { throw SystemErrors.error("fsync", errno, path) }
    }
}
