internal import Synchronization

/// Detects commits to the vault, by this or another process, without reading a record.
///
/// It is asked before every request, so it only compares a few numbers in memory. Connects when it is first used.
final class ChangeWatch: Sendable {
    private struct State: ~Copyable {
        var index: LogIndex?
        var isClosed = false
    }

    private let path: String
    private let state = Mutex(State())

    init(_ path: String) { self.path = path }

    /// A number that differs after every commit; nil if it cannot be read now.
    var stamp: Int64? {
        state.withLock { state in
            if state.index == nil, !state.isClosed { state.index = LogIndex(path) }
            return state.index?.stamp()
        }
    }

    func close() {
        state.withLock { state in
            state.index = nil
            state.isClosed = true
        }
    }
}
