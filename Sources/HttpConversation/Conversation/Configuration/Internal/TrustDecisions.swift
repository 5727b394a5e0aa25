import Synchronization

/// Passes questions about servers from handshakes to the waiting conversations, for one configuration.
final class TrustDecisions: Sendable {
    typealias Asker = @Sendable (ServerTrust) async throws -> Void

    private struct State {
        var askers: [Int: (origin: Origin, ask: Asker)] = [:]
        var nextTicket = 0
    }

    private final class Box: Sendable {
        let state = Mutex(State())
    }

    private let box: Box
    let policy: ServerTrustPolicy

    /// - Parameter filters: filters that handle ``AuthenticationMethod/serverTrust``
    init(_ filters: [any ChallengeFilter]) {
        let box = Box()
        self.box = box
        policy = ServerTrustPolicy { origin in
            filters.reduce(into: ServerTrustTerms()) { $0.add($1.serverTrustTerms(for: origin)) }
        } _: { trust, origin in
            let ask = box.state.withLock { state in state.askers.values.first { $0.origin == origin }?.ask }
            guard let ask else { throw CancellationError() }
            try await ask(trust)
        }
    }

    /// Lets a conversation be asked about a server.
    func enter(_ origin: Origin, _ ask: @escaping Asker) -> Int {
        box.state.withLock { state in
            state.nextTicket += 1
            state.askers[state.nextTicket] = (origin, ask)
            return state.nextTicket
        }
    }

    func leave(_ ticket: Int) { _ = box.state.withLock { $0.askers.removeValue(forKey: ticket) } }
}
