internal import HttpConvPlatform

/// The state of a vault in this process.
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
        /// The stamp of the files when they were last read.
        var stamp: VaultStamp?
    }

    var content = Content.locked
    /// The number of lockings. An unlocking that began before the last one is void.
    var lockings = 0
    /// The policy's timeout, as far as it is known here.
    var lockTimeout = Duration.zero
    /// The task that locks the vault after its timeout.
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

    /// The time until the vault is locked, if it is not used; nil: it is not locked by time.
    func left(at now: Duration) -> Duration? {
        guard let open, lockTimeout > .zero else { return nil }
        return open.lastUse + lockTimeout - now
    }

    /// Whether the vault has not been used for the timeout.
    func isIdle(at now: Duration) -> Bool { left(at: now).map { $0 <= .zero } ?? false }

    /// Records a use of the vault.
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

    /// The parts that end with a change of the content. They are ended after the lock of this value is released.
    struct Former: Sendable {
        /// The vault that was open.
        let open: Open?
        let watch: Task<Void, Never>?
        /// The new state, if it is another one.
        let change: PasscodeVaultState?
    }

    /// Replaces the content, unless the vault is wiped: it stays wiped.
    mutating func forget(_ next: Content) -> Former {
        let (open, before) = (open, state)
        if before != .wiped { content = next }
        return Former(open: open, watch: exchange(watch: nil), change: state == before ? nil : state)
    }

    mutating func exchange(watch next: Task<Void, Never>?) -> Task<Void, Never>? {
        defer { watch = next }
        return watch
    }
}
