import Synchronization

/// The conversations that wait for a handshake, each with its way to be asked a question of the server.
final class AskerList<Asker: Sendable>: Sendable {
    private struct State {
        var askers: [Int: Asker] = [:]
        var nextTicket = 0
    }

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock(\.askers.isEmpty) }

    /// - Returns: a ticket for `remove`
    func add(_ asker: Asker) -> Int {
        state.withLock { state in
            state.nextTicket += 1
            state.askers[state.nextTicket] = asker
            return state.nextTicket
        }
    }

    func remove(_ ticket: Int) { _ = state.withLock { $0.askers.removeValue(forKey: ticket) } }

    func first(where condition: (Asker) -> Bool) -> Asker? {
        state.withLock { $0.askers.values.first(where: condition) }
    }
}
