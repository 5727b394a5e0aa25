import HttpConvConcurrency
import Synchronization

/// Which client certificate a session shows to which server.
///
/// A round is one answer: it is asked for once and kept until the server refuses it. Conversations that have seen others
/// refused are in rounds of their own, so that each refused certificate counts for those that saw it; so are those for
/// which no certificate is meant for the server, so that neither's answer is the other's (security rule S7).
final class IdentityRounds: Sendable {
    /// Whom an answer is for.
    struct Key: Hashable {
        let origin: Origin
        /// Whether a certificate is meant for the server, in conversations for the caller's URL.
        let isMeant: Bool
        var refused: [ClientIdentity] = []
    }

    private static let maximumRounds = 1024
    private let rounds = Mutex<[Key: IdentityRound]>([:])

    /// The round of a conversation that has seen the key's certificates refused.
    func round(for key: Key) -> IdentityRound {
        rounds.withLock { rounds in
            if let round = rounds[key] { return round }
            // Servers that never asked have nothing to remember.
            if rounds.count >= Self.maximumRounds { rounds = rounds.filter { $0.value.source.isAnswered } }
            let round = IdentityRound()
            rounds[key] = round
            return round
        }
    }

    /// A server has answered: the next conversation begins with what it accepted.
    func accepted(_ round: IdentityRound, for key: Key) {
        guard !key.refused.isEmpty else { return }
        rounds.withLock { $0[Key(origin: key.origin, isMeant: key.isMeant)] = round }
    }

    /// The answer was not good enough: whoever comes next asks again.
    func forget(_ round: IdentityRound) {
        rounds.withLock { rounds in rounds = rounds.filter { $0.value !== round } }
    }

    func removeAll() { rounds.withLock { $0.removeAll() } }
}

/// One answer, and the conversations that can get it.
final class IdentityRound: Sendable {
    typealias Asker = @Sendable () async throws -> ClientIdentity?

    let source: ClientIdentitySource
    /// The question as work that a person may have to do something for.
    var question: SendableKey { SendableKey(ObjectIdentifier(self), for: ClientIdentity?.self) }
    private let askers: AskerList

    init() {
        let askers = AskerList()
        self.askers = askers
        source = ClientIdentitySource { try await askers.ask() }
    }

    /// From now on this conversation can answer the server's question.
    ///
    /// - Returns: a ticket to leave with
    func enter(_ ask: @escaping Asker) -> Int { askers.add(ask) }

    func leave(_ ticket: Int) { askers.remove(ticket) }
}

/// The conversations that wait for a handshake: any of them can ask for all.
private final class AskerList: Sendable {
    private struct State {
        var askers: [Int: IdentityRound.Asker] = [:]
        var nextTicket = 0
    }

    private let state = Mutex(State())

    func add(_ ask: @escaping IdentityRound.Asker) -> Int {
        state.withLock { state in
            state.nextTicket += 1
            state.askers[state.nextTicket] = ask
            return state.nextTicket
        }
    }

    func remove(_ ticket: Int) { _ = state.withLock { $0.askers.removeValue(forKey: ticket) } }

    func ask() async throws -> ClientIdentity? {
        guard let ask = state.withLock({ state in state.askers.first?.value }) else { throw CancellationError() }
        return try await ask()
    }
}
