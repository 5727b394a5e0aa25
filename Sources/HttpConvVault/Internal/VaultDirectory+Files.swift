internal import HttpConvPlatform
import HttpConvSystem

/// Small files beside the database, which must be readable before the vault is open.
extension VaultDirectory {
    /// Locks the directory exclusively among all processes. The lock ends with ``unlock()``, with the value, or with the
    /// process.
    func tryLock() -> SystemCalls.LockResult { SystemCalls.tryLock(descriptor.number) }

    /// Releases the lock.
    func unlock() { flock(descriptor.number, LOCK_UN) }

    /// The content of a file; nil if there is none.
    func read(_ name: String, upTo limit: Int) throws(DataVaultError) -> [UInt8]? {
        let file = path + "/" + name
        let descriptor: Descriptor
        do {
            // Opened without blocking, because a pipe in the file's place must not hang this process.
            descriptor = try Descriptor.open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, what: "file")
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
        try FileGuard.check(descriptor.status(of: file), path: file, kind: .file)
        var buffer = [UInt8](repeating: 0, count: limit + 1)
        let count = try descriptor.read(into: &buffer, path: file)
        guard count <= limit else { throw DataVaultError(.damaged, "\(file) is longer than \(limit) bytes.") }
        return Array(buffer[..<count])
    }

    /// Replaces a file atomically; when this returns, the change is on the disk.
    ///
    /// Requires the lock. Removes the draft of an interrupted replacement first.
    ///
    /// - Parameter drafted: called between writing the draft and renaming it
    func replace(
        _ name: String, with bytes: [UInt8], drafted: () -> Void = {}
    ) throws(DataVaultError) {
        let (file, draft) = (path + "/" + name, path + "/" + Self.draft(name))
        try overwrite(Self.draft(name))
        try remove(Self.draft(name))
        guard let written = DraftFile(at: { draft }) else { throw SystemCallFailure.error("open", errno, draft) }
        let code = SystemCalls.writeAll(written.descriptor, bytes)
        guard code == 0 else {
            written.discard()
            throw SystemCallFailure.error("write", code, draft)
        }
        drafted()
        let failed = written.place(at: file)
        guard failed == 0 else { throw SystemCallFailure.error("rename", failed, file) }
        try synchronise()
    }

    /// Replaces a file, and overwrites its former content, so that no slot for an old passcode stays on the disk.
    ///
    /// - Parameter replaced: called between renaming and overwriting
    func replaceSecret(
        _ name: String, with bytes: [UInt8], drafted: () -> Void, replaced: () -> Void
    ) throws(DataVaultError) {
        try retire(name)
        let (file, former) = (path + "/" + name, path + "/" + Self.former(name))
        guard link(file, former) == 0 || errno == ENOENT else { throw SystemCallFailure.error("link", errno, former) }
        try replace(name, with: bytes, drafted: drafted)
        replaced()
        try retire(name)
    }

    /// Overwrites and removes the former file of an interrupted replacement.
    func retire(_ name: String) throws(DataVaultError) {
        let former = Self.former(name)
        // Before the renaming, the former file is the present one under a second name.
        if try stamp(former) != stamp(name) { try overwrite(former) }
        try remove(former)
    }

    /// Overwrites a file with zeros, on the disk; does nothing if there is none.
    func overwrite(_ name: String) throws(DataVaultError) {
        let file = path + "/" + name
        do {
            let descriptor = try Descriptor.open(file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, what: "file")
            let status = try descriptor.status(of: file)
            try FileGuard.check(status, path: file, kind: .file)
            let count = min(max(Int(status.st_size), 0), 1 << 20)
            try descriptor.writeAll([UInt8](repeating: 0, count: count), path: file)
        } catch {
            guard error.code == .notFound else { throw error }
        }
    }

    /// Removes a file, if it is there.
    func remove(_ name: String) throws(DataVaultError) {
        guard HttpConvPlatform.unlink(path + "/" + name) == 0 || errno == ENOENT else {
            throw SystemCallFailure.error("unlink", errno, path + "/" + name)
        }
    }

    /// Removes the database and its companion files. Processes that have it open keep using the removed files.
    func removeDatabase() throws(DataVaultError) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw DataVaultError(.ioFailure, "\(path) cannot be listed.", underlyingError: error)
        }
        for name in names where name.hasPrefix(DataVault.databaseName) { try remove(name) }
    }

    /// Waits until created and removed names are on the disk.
    func synchronise() throws(DataVaultError) {
        guard fsync(descriptor.number) == 0 else { throw SystemCallFailure.error("fsync", errno, path) }
    }

    /// The file's stamp; nil if there is none.
    func stamp(_ name: String) throws(DataVaultError) -> FileStamp? { try status(name).map { FileStamp($0) } }

    /// The names of a replacement's temporary files: the draft, and the former file.
    static func companions(_ name: String) -> [String] { [draft(name), former(name)] }

    private static func draft(_ name: String) -> String { name + ".new" }
    private static func former(_ name: String) -> String { name + ".old" }
}
