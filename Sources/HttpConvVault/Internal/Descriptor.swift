internal import HttpConvPlatform
import HttpConvSystem

/// An open file descriptor, closed when it is released.
struct Descriptor: ~Copyable {
    let number: Int32

    private init(number: Int32) { self.number = number }
    deinit { close(number) }

    static func open(_ path: String, _ flags: Int32, what: String) throws(DataVaultError) -> Descriptor {
        let number = SystemCalls.open(path, flags, mode: 0o600)
        guard number >= 0 else { throw openFailure(errno, path, what) }
        return Descriptor(number: number)
    }

    private static func openFailure(_ error: Int32, _ path: String, _ what: String) -> DataVaultError {
        let cause = SystemError(call: "open", number: error)
        switch error {
        case ENOENT: return DataVaultError(.notFound, "There is no \(what) at \(path).", underlyingError: cause)
        case EEXIST:
            return DataVaultError(.alreadyExists, "There is something at \(path) already.", underlyingError: cause)
        // Linux returns ENOTDIR for a link if a directory is asked for.
        case ELOOP, ENOTDIR, EMLINK:
            return DataVaultError(
                .unsafeFile, "\(path) is a link or of the wrong kind; the \(what) must be given by its own path.",
                underlyingError: cause)
        default: return SystemCallFailure.error("open", error, path)
        }
    }

    func status(of path: String) throws(DataVaultError) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw SystemCallFailure.error("fstat", errno, path) }
        return status
    }

    /// Reads until the buffer is full or the file ends.
    func read(into buffer: inout [UInt8], path: String) throws(DataVaultError) -> Int {
        guard let count = SystemCalls.fill(&buffer, from: number) else {
            throw SystemCallFailure.error("read", errno, path)
        }
        return count
    }

    /// Writes everything and waits until it is on the disk.
    func writeAll(_ bytes: [UInt8], path: String) throws(DataVaultError) {
        let code = SystemCalls.writeAll(number, bytes)
        guard code == 0 else { throw SystemCallFailure.error("write", code, path) }
        guard fsync(number) == 0 else { throw SystemCallFailure.error("fsync", errno, path) }
    }
}
