import Synchronization

/// A set that keeps at least the last `limit` elements.
final class RecentSet<Element: Hashable & Sendable>: Sendable {
    private struct State {
        var recent: Set<Element> = []
        var older: Set<Element> = []
    }

    private let limit: Int
    private let state = Mutex(State())
    /// Avoids the lock while the set is empty: it nearly always is, and it is read with each request.
    private let hasAny = Atomic<Bool>(false)

    init(atLeast limit: Int) { self.limit = limit }

    var isEmpty: Bool { !hasAny.load(ordering: .relaxed) }

    func contains(_ element: Element) -> Bool {
        guard !isEmpty else { return false }
        return state.withLock { $0.recent.contains(element) || $0.older.contains(element) }
    }

    func insert(_ element: Element) {
        state.withLock { state in
            if state.recent.count >= limit {
                state.older = state.recent
                state.recent = []
            }
            state.recent.insert(element)
        }
        hasAny.store(true, ordering: .relaxed)
    }
}
