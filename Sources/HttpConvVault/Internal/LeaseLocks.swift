internal import HttpConvPlatform
import HttpConvSystem
internal import Synchronization

/// The file locks behind a vault's leases: they free a lease as soon as its process has ended, however it ended.
///
/// A lease has a file of its own beside the database, named by its token, which is never reused. The vault that takes
/// the lease keeps that file locked. If another process can lock the file, its holder is gone. Without locks or files
/// the lease ends by time alone, as it does for a suspended holder.
final class LeaseLocks: Sendable {
    private let prefix: String
    private let held = Mutex<[Int64: LeaseLock]>([:])

    init(databasePath: String) { prefix = databasePath + "-lease-" }

    /// Locks the file of a new lease. Called in the transaction that grants the token, so no other process uses it yet.
    func take(_ token: Int64) {
        let path = path(token)
        // An existing file is left over from a transaction that failed.
        unlink(path)
        let lock = LeaseLock(path, O_CREAT | O_EXCL)
        if lock?.take(LOCK_EX) != true { unlink(path) }
        held.withLock { $0[token] = lock }
    }

    /// Removes the lock file of an ended lease, whichever process had it.
    func remove(_ token: Int64) {
        unlink(path(token))
        held.withLock { $0[token] = nil }
    }

    /// Drops the lock of a lease. If its file still exists, others see that the lease is free.
    func abandon(_ token: Int64) { held.withLock { $0[token] = nil } }

    /// Whether the holder of a lease has ended without releasing it; false if that is unknown.
    func isAbandoned(_ token: Int64) -> Bool {
        // A shared lock, so that two observers do not mistake each other for the holder.
        LeaseLock(path(token))?.take(LOCK_SH) ?? false
    }

    /// Drops all locks, as the end of the process would.
    func close() { held.withLock { $0.removeAll() } }

    private func path(_ token: Int64) -> String { prefix + String(token) }
}

/// An open lock file of ours.
private final class LeaseLock: Sendable {
    private let descriptor: Int32

    init?(_ path: String, _ flags: Int32 = 0) {
        descriptor = SystemCalls.open(path, O_RDWR | O_NOFOLLOW | flags, mode: 0o600)
        if descriptor < 0 { return nil }
    }

    deinit { SystemCalls.unlockAndClose(descriptor) }

    func take(_ kind: Int32) -> Bool { SystemCalls.tryLock(descriptor, kind) == .taken }
}
