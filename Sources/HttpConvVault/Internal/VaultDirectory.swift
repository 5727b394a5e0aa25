internal import HttpConvPlatform
import HttpConvSystem

/// The directory of a vault: only the user has access (0700), so that others cannot plant or swap a file in it.
///
/// The database files are checked with `fstatat` and never opened here: closing any descriptor of a file ends all of
/// the process's locks on it (POSIX), including SQLite's.
struct VaultDirectory: ~Copyable, Sendable {
    let path: String
    let descriptor: Descriptor
    /// The status of the directory when it was opened.
    private let opened: stat

    var databasePath: String { path + "/" + DataVault.databaseName }

    init(_ url: URL, creating: Bool) throws(DataVaultError) {
        let path = url.absoluteURL.standardizedFileURL.path
        if creating {
            let (code, place) = SystemCalls.makeDirectories(path)
            guard code == 0 else { throw SystemCallFailure.error("mkdir", code, place) }
        }
        let descriptor = try Descriptor.open(
            path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, what: "vault directory")
        let status = try descriptor.status(of: path)
        try FileGuard.check(status, path: path, kind: .directory)
        self.path = path
        self.descriptor = descriptor
        opened = status
    }

    /// Opens a directory and locks it; waits for other processes at most the busy time.
    ///
    /// - Parameter lock: locks it
    static func locked(
        _ url: URL, creating: Bool, _ configuration: PasscodeVaultConfiguration,
        by lock: (borrowing VaultDirectory) -> SystemCalls.LockResult = { $0.tryLock() }
    ) async throws -> VaultDirectory {
        var wait = BusyWait(
            "for another process that uses the vault at \(url.path)", atMost: configuration.busyTimeout,
            configuration.clock)
        repeat {
            let directory = try VaultDirectory(url, creating: creating)
            switch lock(directory) {
            case .taken: return directory
            case .held: break
            case .unsupported(let number):
                throw PasscodeVaultError(
                    .ioFailure,
                    "The vault at \(url.path) is on a file system without locks: keep it on a local one (httpc: set "
                        + "XDG_STATE_HOME).",
                    underlyingError: SystemError(call: "flock", number: number))
            }
        } while try await wait.pause(.milliseconds(10))
        throw PasscodeVaultError(
            .busy, "Other processes are using the vault at \(url.path) for too long; try again.")
    }

    /// Whether the database exists; checks it and its companion files.
    func checkFiles() throws(DataVaultError) -> Bool {
        let status = try check(DataVault.databaseName)
        let found = status != nil
        // A process was killed, or is being slow, between giving the database its name and removing the draft's.
        if let status, status.st_nlink > 1 { removeDrafts { FileStamp($0) == FileStamp(status) } }
        for suffix in ["-wal", "-shm", "-journal"] { _ = try check(DataVault.databaseName + suffix) }
        return found
    }

    private func check(_ name: String) throws(DataVaultError) -> stat? {
        guard let status = try self.status(name) else { return nil }
        try FileGuard.check(status, path: path + "/" + name, kind: .file)
        return status
    }

    /// The status of a file; nil if there is none.
    func status(_ name: String) throws(DataVaultError) -> stat? {
        var status = stat()
        guard fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw SystemCallFailure.error("fstatat", errno, path + "/" + name)
        }
        return status
    }

    /// Whether the path still leads to the directory that was checked.
    func checkUnmoved() throws(DataVaultError) {
        var status = stat()
        guard lstat(path, &status) == 0, status.isSameFile(as: opened) else {
            throw DataVaultError(.unsafeFile, "\(path) was replaced while the vault was being opened.")
        }
    }

    private static let draftMark = ".new-"

    /// Removes the drafts of processes that were killed while they created the vault.
    func removeOldDrafts() {
        // A vault is created in far less than a minute.
        let limit = time(nil) - 60
        removeDrafts { $0.modified.tv_sec < limit }
    }

    private func removeDrafts(_ isLeftOver: (stat) -> Bool) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where name.hasPrefix(DataVault.databaseName + Self.draftMark) {
            guard let status = try? self.status(name), status.st_uid == geteuid(), isLeftOver(status) else { continue }
            unlink(path + "/" + name)
        }
    }

    /// Creates an empty file with mode 0600, for SQLite to fill; returns its path.
    func createDraft() throws(DataVaultError) -> String {
        let draft = databasePath + Self.draftMark + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        _ = try Descriptor.open(draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, what: "new vault")
        return draft
    }

    /// Gives a finished draft its name, atomically, unless there is a vault already.
    func publish(_ draft: String) throws(DataVaultError) {
        guard link(draft, databasePath) == 0 else {
            if errno == EEXIST { throw DataVaultError(.alreadyExists, "There is a vault at \(path) already.") }
            throw SystemCallFailure.error("link", errno, databasePath)
        }
        unlink(draft)
        guard fsync(descriptor.number) == 0 else { throw SystemCallFailure.error("fsync", errno, path) }
    }

    func discard(_ draft: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(draft + suffix) }
    }

    /// Whether we cannot write the files or the file system.
    static func isReadOnly(_ databasePath: String) -> Bool {
        let directory = databasePath.parentPath
        return access(directory, W_OK) != 0 || (access(databasePath, F_OK) == 0 && access(databasePath, W_OK) != 0)
    }
}
