import HttpConversation
import Synchronization

/// Origins that were noted, the last thousand of them at least.
final class OriginSet: Sendable {
    private static let limit = 1000

    private struct State {
        var recent: Set<Origin> = []
        var older: Set<Origin> = []
    }

    private let state = Mutex(State())

    func contains(_ origin: Origin) -> Bool {
        state.withLock { $0.recent.contains(origin) || $0.older.contains(origin) }
    }

    func insert(_ origin: Origin) {
        state.withLock { state in
            if state.recent.count >= Self.limit {
                state.older = state.recent
                state.recent = []
            }
            state.recent.insert(origin)
        }
    }
}
