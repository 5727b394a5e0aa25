#if PostgreSQL
internal import Synchronization

/// The entries of all rows that this process uses, by the name that notifications have.
final class EntryRegistry: Sendable {
    private struct Weak { weak var entry: TokenEntry? }

    private struct State {
        var entries: [String: Weak] = [:]
        /// The number of entries at which those that are gone are removed.
        var pruning = 1000
    }

    private let state = Mutex(State())

    func entry(_ name: [UInt8], key: String) -> TokenEntry {
        let text = TokenEntry.text(of: name)
        return state.withLock { state in
            if let entry = state.entries[text]?.entry { return entry }
            if state.entries.count >= state.pruning {
                state.entries = state.entries.filter { $0.value.entry != nil }
                state.pruning = max(1000, 2 * state.entries.count)
            }
            let entry = TokenEntry(name: name, key: key)
            state.entries[text] = Weak(entry: entry)
            return entry
        }
    }

    /// Whether a row was older than one that had been read, and was not replaced since.
    var hasRolledBackRow: Bool {
        let entries = state.withLock { $0.entries.values.compactMap(\.entry) }
        return entries.contains { $0.isRolledBack }
    }

    func announce(_ name: String, _ version: Int64) { state.withLock { $0.entries[name]?.entry }?.announce(version) }
}
#endif
