import Synchronization

/// Takes questions about servers from handshakes to the conversations that wait for them, for one configuration.
final class TrustDecisions: Sendable {
    typealias Asker = @Sendable (ServerTrust) async throws -> Void

    private struct State {
        var askers: [Int: (origin: Origin, ask: Asker)] = [:]
        var nextTicket = 0
        var accepted: [Origin: Set<[UInt8]>] = [:]
    }

    private final class Box: Sendable {
        let state = Mutex(State())
    }

    private let box: Box
    let policy: ServerTrustPolicy

    init() {
        let box = Box()
        self.box = box
        policy = ServerTrustPolicy { trust, origin in
            let ask = box.state.withLock { state in state.askers.values.first { $0.origin == origin }?.ask }
            guard let ask else { throw CancellationError() }
            try await ask(trust)
        }
    }

    /// From now on this conversation can be asked about a server.
    func enter(_ origin: Origin, _ ask: @escaping Asker) -> Int {
        box.state.withLock { state in
            state.nextTicket += 1
            state.askers[state.nextTicket] = (origin, ask)
            return state.nextTicket
        }
    }

    func leave(_ ticket: Int) { _ = box.state.withLock { $0.askers.removeValue(forKey: ticket) } }

    /// Somebody said that this very certificate is the server's.
    func accept(_ trust: ServerTrust, of origin: Origin) {
        guard let certificate = trust.certificates.first else { return }
        _ = box.state.withLock { $0.accepted[origin, default: []].insert(certificate) }
    }

    func hasAccepted(_ trust: ServerTrust, of origin: Origin) -> Bool {
        guard let certificate = trust.certificates.first else { return false }
        return box.state.withLock { $0.accepted[origin]?.contains(certificate) ?? false }
    }
}
