internal import Synchronization

/// What a handle can open: the ciphers of its vault, by the mark of the key slot that each belongs to.
///
/// A changed key means another cipher. Which one counts, each transaction reads from the key slot: what was read before
/// the change and what is written after it are told apart by that, in this and in other processes.
final class VaultKeyring: Sendable {
    private struct Entry {
        let mark: [UInt8]
        let cipher: VaultCipher
    }

    private struct State {
        /// The newest last.
        var entries: [Entry]
        var isWiped = false
        var hooks: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>

    init(_ cipher: VaultCipher, mark: [UInt8]) { state = Mutex(State(entries: [Entry(mark: mark, cipher: cipher)])) }

    /// The cipher that belongs to a key slot.
    ///
    /// - Throws: `.closed` after ``wipe()``, `.keyChanged` where somebody else has changed the key
    func cipher(for mark: [UInt8]) throws(DataVaultError) -> VaultCipher {
        let (cipher, isWiped) = state.withLock { state in
            (state.entries.last { $0.mark == mark }?.cipher, state.isWiped)
        }
        if let cipher { return cipher }
        guard !isWiped else { throw DataVaultError(.closed, "The vault was closed.") }
        throw DataVaultError(
            .keyChanged, "The vault's key was changed by somebody else: open it again with the new one.")
    }

    /// Adds a cipher. Of older ones the last stays, for what is being read now.
    func add(_ cipher: VaultCipher, mark: [UInt8]) {
        state.withLock { state in
            guard !state.isWiped else { return }
            state.entries.removeAll { $0.mark == mark }
            state.entries = state.entries.suffix(1) + [Entry(mark: mark, cipher: cipher)]
        }
    }

    /// Drops what belongs to any other key slot, as after a change that came to nothing.
    func keep(only mark: [UInt8]) { state.withLock { $0.entries.removeAll { $0.mark != mark } } }

    /// Takes over what another handle of the same vault can open.
    func add(from other: VaultKeyring) {
        for entry in other.state.withLock({ $0.entries }) { add(entry.cipher, mark: entry.mark) }
    }

    /// The keys are overwritten, as soon as what runs now has ended; then whoever keeps what was read is told.
    func wipe() {
        let hooks = state.withLock { state in
            defer {
                state.hooks = []
                state.entries = []
                state.isWiped = true
            }
            return state.hooks
        }
        for hook in hooks { hook() }
    }

    /// - Parameter hook: called once, by ``wipe()``; at once where that was before
    func whenWiped(_ hook: @escaping @Sendable () -> Void) {
        let isWiped = state.withLock { state in
            if !state.isWiped { state.hooks.append(hook) }
            return state.isWiped
        }
        if isWiped { hook() }
    }

    /// The newest cipher; nil after ``wipe()``.
    var newest: VaultCipher? { state.withLock { $0.entries.last?.cipher } }
}
