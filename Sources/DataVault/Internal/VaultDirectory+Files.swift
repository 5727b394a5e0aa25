internal import Foundation

/// Small files beside the database, for what has to be readable before the vault is open.
extension VaultDirectory {
    /// Locks the directory for one holder among all processes; false where somebody else has it. The lock ends with
    /// ``unlock()``, with the value, or with the process, however that ends.
    package func tryLock() -> Bool {
        while flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 { guard errno == EINTR else { return false } }
        return true
    }

    /// Gives the lock back.
    package func unlock() { flock(descriptor.number, LOCK_UN) }

    /// What a file holds; nil where there is none.
    package func read(_ name: String, upTo limit: Int) throws(DataVaultError) -> [UInt8]? {
        let file = path + "/" + name
        let descriptor: Descriptor
        do {
            // Not blocking: a pipe in the file's place must not hang us.
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

    /// Puts a file in the place of the one that is there, in one step; when this returns it is on the disk.
    ///
    /// For the holder of the lock. What a killed one left of its draft goes first.
    ///
    /// - Parameter drafted: called between the draft and the step
    package func replace(
        _ name: String, with bytes: [UInt8], drafted: () -> Void = {}
    ) throws(DataVaultError) {
        let (file, draft) = (path + "/" + name, path + "/" + Self.draft(name))
        try overwrite(Self.draft(name))
        try remove(Self.draft(name))
        do throws(DataVaultError) {
            let descriptor = try Descriptor.open(
                draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, what: "file")
            try descriptor.writeAll(bytes, path: draft)
        } catch {
            Foundation.unlink(draft)
            throw error
        }
        drafted()
        guard rename(draft, file) == 0 else { throw SystemErrors.error("rename", errno, file) }
        try synchronise()
    }

    /// The same, and what was there before is overwritten: no slot that an old passcode opens stays behind.
    ///
    /// - Parameter replaced: called between the step and the overwriting
    package func replaceSecret(
        _ name: String, with bytes: [UInt8], drafted: () -> Void = {}, replaced: () -> Void = {}
    ) throws(DataVaultError) {
        try retire(name)
        let (file, former) = (path + "/" + name, path + "/" + Self.former(name))
        guard link(file, former) == 0 || errno == ENOENT else { throw SystemErrors.error("link", errno, former) }
        try replace(name, with: bytes, drafted: drafted)
        replaced()
        try retire(name)
    }

    /// Overwrites and removes what a killed replacement left of the former file.
    package func retire(_ name: String) throws(DataVaultError) {
        let former = Self.former(name)
        // Before the step the former file is still the one that counts, under a second name.
        if try identity(former) != identity(name) { try overwrite(former) }
        try remove(former)
    }

    /// Writes zeros over a file, to the disk; does nothing where there is none.
    package func overwrite(_ name: String) throws(DataVaultError) {
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
    package func remove(_ name: String) throws(DataVaultError) {
        guard Foundation.unlink(path + "/" + name) == 0 || errno == ENOENT else {
            throw SystemErrors.error("unlink", errno, path + "/" + name)
        }
    }

    /// Removes the database and all that belongs to it. Whoever has it open goes on without a name.
    package func removeDatabase() throws(DataVaultError) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw DataVaultError(.ioFailure, "\(path) cannot be listed.", underlyingError: error)
        }
        for name in names where name.hasPrefix(DataVault.databaseName) { try remove(name) }
    }

    /// Waits until names that came and went are on the disk.
    package func synchronise() throws(DataVaultError) {
        guard fsync(descriptor.number) == 0 else { throw SystemErrors.error("fsync", errno, path) }
    }

    /// What changes when a file is replaced; nil where there is none.
    package func identity(_ name: String) throws(DataVaultError) -> FileIdentity? {
        try status(name).map { FileIdentity($0) }
    }

    /// The names of the files that a replacement makes besides: before it, and of what was there.
    package static func companions(_ name: String) -> [String] { [draft(name), former(name)] }

    private static func draft(_ name: String) -> String { name + ".new" }
    private static func former(_ name: String) -> String { name + ".old" }
}
