internal import DataVault
internal import Foundation

/// What this process has of a vault.
struct VaultMemory: Sendable {
    enum Content: Sendable {
        case locked
        case unlocked(Open)
        case wiped
    }

    struct Open: Sendable {
        let vault: DataVault
        let key: PasscodeVaultKey
        var lastUse: Duration
        /// The files when they were last looked at.
        var stamp: VaultStamp?
    }

    var content = Content.locked
    /// Grows with each locking: who began to unlock before comes too late.
    var lockings = 0
    /// The policy's, as far as it is known here.
    var lockTimeout = Duration.zero
    /// Locks the vault when its time has come.
    private var watch: Task<Void, Never>?

    var open: Open? {
        if case .unlocked(let open) = content { open } else { nil }
    }

    var state: PasscodeVaultState {
        switch content {
        case .locked: .locked
        case .unlocked: .unlocked
        case .wiped: .wiped
        }
    }

    /// How long the vault stays unlocked if nobody uses it; nil: for any time.
    func left(at now: Duration) -> Duration? {
        guard let open, lockTimeout > .zero else { return nil }
        return open.lastUse + lockTimeout - now
    }

    /// Whether nobody has used the vault for long enough.
    func isIdle(at now: Duration) -> Bool { left(at: now).map { $0 <= .zero } ?? false }

    /// The vault is in use.
    mutating func renew(at now: Duration) {
        guard var open else { return }
        open.lastUse = now
        content = .unlocked(open)
    }

    mutating func see(_ stamp: VaultStamp) {
        guard var open else { return }
        open.stamp = stamp
        content = .unlocked(open)
    }

    mutating func exchange(watch next: Task<Void, Never>?) -> Task<Void, Never>? {
        defer { watch = next }
        return watch
    }
}
