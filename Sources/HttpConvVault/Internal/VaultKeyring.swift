internal import Synchronization

/// The ciphers of a vault's handle, by the mark of the key slot that each belongs to.
///
/// A changed key means another cipher. Each transaction reads the mark from the key slot and uses the cipher for it.
/// That separates reads before the change from writes after it, in this and in other processes.
final class VaultKeyring: Sendable {
    private struct Entry {
        let mark: [UInt8]
        let cipher: VaultCipher
    }

    private struct State {
        /// The newest is last.
        var entries: [Entry]
        var isWiped = false
        var caches: [Cache] = []
        /// The number of caches at which those that are gone are removed.
        var pruning = 16
    }

    private struct Cache { weak var cache: (any VaultCache)? }

    private let state: Mutex<State>

    init(_ cipher: VaultCipher, mark: [UInt8]) { state = Mutex(State(entries: [Entry(mark: mark, cipher: cipher)])) }

    /// The cipher that belongs to a key slot.
    ///
    /// - Throws: `.closed` after ``wipe()``, `.keyChanged` if the key was changed elsewhere
    func cipher(for mark: [UInt8]) throws(DataVaultError) -> VaultCipher {
        let (cipher, isWiped) = state.withLock { state in
            (state.entries.last { $0.mark == mark }?.cipher, state.isWiped)
        }
        if let cipher { return cipher }
        guard !isWiped else { throw DataVaultError(.closed, "The vault was closed.") }
        throw DataVaultError(
            .keyChanged, "Another process changed the vault's key: open the vault again with the new one.")
    }

    /// Adds a cipher. Keeps only the latest of the older ones, for reads in progress.
    func add(_ cipher: VaultCipher, mark: [UInt8]) {
        state.withLock { state in
            guard !state.isWiped else { return }
            state.entries.removeAll { $0.mark == mark }
            state.entries = state.entries.suffix(1) + [Entry(mark: mark, cipher: cipher)]
        }
    }

    /// Drops the ciphers of other key slots, as after a change that failed.
    func keep(only mark: [UInt8]) { state.withLock { $0.entries.removeAll { $0.mark != mark } } }

    /// Adds the ciphers of another handle of the same vault.
    func add(from other: VaultKeyring) {
        for entry in other.state.withLock({ $0.entries }) { add(entry.cipher, mark: entry.mark) }
    }

    /// Drops the keys, which are overwritten once running operations have ended. Then closes the caches.
    func wipe() {
        let caches = state.withLock { state in
            defer {
                state.caches = []
                state.entries = []
                state.isWiped = true
            }
            return state.caches
        }
        for entry in caches { entry.cache?.close() }
    }

    /// Closes a cache with ``wipe()``; at once if that has run already. The cache is not retained.
    func closesWithKeys(_ cache: any VaultCache) {
        let isWiped = state.withLock { state in
            guard !state.isWiped else { return true }
            if state.caches.count >= state.pruning {
                state.caches.removeAll { $0.cache == nil }
                state.pruning = max(16, 2 * state.caches.count)
            }
            state.caches.append(Cache(cache: cache))
            return false
        }
        if isWiped { cache.close() }
    }

    /// The number of caches, with those that are gone but not removed yet.
    var cacheCount: Int { state.withLock { $0.caches.count } }

    /// The newest cipher; nil after ``wipe()``.
    var newest: VaultCipher? { state.withLock { $0.entries.last?.cipher } }
}

/// A cache of decrypted values, which must not outlive the vault's keys in memory.
package protocol VaultCache: AnyObject, Sendable {
    /// Empties the cache, for good.
    func close()
}
