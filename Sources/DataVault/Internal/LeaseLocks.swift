internal import Foundation
internal import Synchronization

/// The kernel's part of a vault's leases: what a process held is known to be free as soon as the process has ended,
/// however it ended.
///
/// A lease has a file of its own beside the database, named by its token, which is never given twice. The vault that
/// takes the lease keeps that file locked; a file that somebody else can lock has lost its holder. Where locks or files
/// cannot be had there is none, and the lease ends by time alone, as it does for a holder that is merely stopped.
final class LeaseLocks: Sendable {
    private let prefix: String
    private let held = Mutex<[Int64: LeaseLock]>([:])

    init(databasePath: String) { prefix = databasePath + "-lease-" }

    /// Locks the file of a new lease. Called in the transaction that gives the token out: nobody else has it yet.
    func take(_ token: Int64) {
        let path = path(token)
        // What is there was made for a transaction that came to nothing.
        unlink(path)
        let lock = LeaseLock(path, O_CREAT | O_EXCL)
        if lock?.take(LOCK_EX) != true { unlink(path) }
        held.withLock { $0[token] = lock }
    }

    /// Removes the lock of a lease that has ended, whoever had it.
    func remove(_ token: Int64) {
        unlink(path(token))
        held.withLock { $0[token] = nil }
    }

    /// Lets go of a lease's lock. Its file, where it is still there, says that nobody holds it.
    func abandon(_ token: Int64) { held.withLock { $0[token] = nil } }

    /// Whether the holder of a lease has ended without giving it back; false where that cannot be told.
    func isAbandoned(_ token: Int64) -> Bool {
        // Shared, so that two who look do not take each other for the holder.
        LeaseLock(path(token))?.take(LOCK_SH) ?? false
    }

    /// Lets go of everything, as the end of the process would.
    func close() { held.withLock { $0.removeAll() } }

    private func path(_ token: Int64) -> String { prefix + String(token) }
}

/// An open lock file of ours.
private final class LeaseLock: Sendable {
    private let descriptor: Int32

    init?(_ path: String, _ flags: Int32 = 0) {
        descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0o600)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    func take(_ kind: Int32) -> Bool {
        while flock(descriptor, kind | LOCK_NB) != 0 { guard errno == EINTR else { return false } }
        return true
    }
}
