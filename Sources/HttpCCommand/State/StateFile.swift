import Foundation
import HttpC

/// A file in a state directory: read without following links, written whole, changed under a lock (security rule S22).
struct StateFile {
    let directory: StateDirectory
    let name: String

    private var path: String { "\(directory.path)/\(name)" }

    /// The contents; nil where the file does not exist.
    func read() throws(CommandFailure) -> Data? {
        let descriptor = openat(directory.descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StateDirectory.failure(path, errno == ELOOP ? "it is a link" : Posix.reason(errno))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFREG else {
            throw StateDirectory.failure(path, "it is no file of yours")
        }
        do { return try handle.readToEnd() ?? Data() } catch {
            throw StateDirectory.failure(path, "it cannot be read")
        }
    }

    /// Changes the contents while no other process does.
    func update(_ change: (Data?) throws(CommandFailure) -> Data) throws(CommandFailure) {
        try directory.locked(name) { () throws(CommandFailure) in
            try replace(with: Array(try change(try read())))
        }
    }

    /// A new file beside the old one, synced, then renamed over it.
    private func replace(with bytes: [UInt8]) throws(CommandFailure) {
        let temporary = ".\(name).\(getpid()).\(UInt32.random(in: 0 ... .max))"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = openat(directory.descriptor, temporary, flags, 0o600)
        guard descriptor >= 0 else { throw StateDirectory.failure(path, Posix.reason(errno)) }
        var code = Posix.writeAll(descriptor, bytes)
        if code == 0, fsync(descriptor) != 0 { code = errno }
        close(descriptor)
        if code == 0, renameat(directory.descriptor, temporary, directory.descriptor, name) != 0 { code = errno }
        guard code == 0 else {
            unlinkat(directory.descriptor, temporary, 0)
            throw StateDirectory.failure(path, Posix.reason(code))
        }
        fsync(directory.descriptor)
    }
}
