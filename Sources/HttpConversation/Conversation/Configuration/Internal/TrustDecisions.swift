/// Passes questions about servers from handshakes to the waiting conversations, for one configuration and those that
/// were made from it.
final class TrustDecisions: Sendable {
    typealias Asker = @Sendable (ServerTrust) async throws -> Void

    private let askers: AskerList<(origin: Origin, ask: Asker)>
    let policy: ServerTrustPolicy

    /// - Parameter filters: filters that handle ``AuthenticationMethod/serverTrust``
    init(_ filters: [any ChallengeFilter]) {
        let askers = AskerList<(origin: Origin, ask: Asker)>()
        self.askers = askers
        policy = ServerTrustPolicy { origin in
            filters.reduce(into: ServerTrustTerms()) { $0.add($1.serverTrustTerms(for: origin)) }
        } _: { trust, origin in
            guard let asker = askers.first(where: { $0.origin == origin }) else { throw CancellationError() }
            try await asker.ask(trust)
        }
    }

    /// Lets a conversation be asked about a server.
    func enter(_ origin: Origin, _ ask: @escaping Asker) -> Int { askers.add((origin, ask)) }

    func leave(_ ticket: Int) { askers.remove(ticket) }
}
