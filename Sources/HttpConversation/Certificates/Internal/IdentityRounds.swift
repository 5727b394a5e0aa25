import HttpConvConcurrency
import Synchronization

/// The client certificates of a session by server, and the owner of connections by which servers know the person.
///
/// A round is one answer: it is asked for once and kept until the server refuses it. Conversations that have seen other
/// certificates refused have separate rounds, so that a refusal counts only for conversations that saw it.
/// Conversations for which the server gets no certificate have a separate round, too, so that their answers do not mix
/// (security rule S7).
final class IdentityRounds: Sendable {
    /// The identity of a round.
    struct Key: Hashable {
        let origin: Origin
        /// Whether the server may get a certificate, in conversations for the caller's URL.
        let isMeant: Bool
        var refused: [ClientIdentity] = []
    }

    private struct State {
        var rounds: [Key: IdentityRound] = [:]
        /// The keys of the rounds, oldest first.
        var order: [Key] = []
    }

    /// The maximum number of rounds, without those that conversations are using.
    static let maximumRounds = 1024
    private let state = Mutex(State())
    private let owner = Mutex(ConnectionOwner())

    /// The owner of the session's connections to servers that may know the person by them.
    var connectionOwner: ConnectionOwner { owner.withLock(\.self) }

    /// The round of a conversation that has seen the key's certificates refused.
    func round(for key: Key) -> IdentityRound {
        state.withLock { state in
            if let round = state.rounds[key] { return round }
            if state.rounds.count >= Self.maximumRounds { Self.makeRoom(&state) }
            let round = IdentityRound()
            state.rounds[key] = round
            state.order.append(key)
            return round
        }
    }

    /// The number of rounds.
    var count: Int { state.withLock { $0.rounds.count } }

    /// Drops rounds that no conversation is using: those without a certificate, and then the oldest, down to half of
    /// the limit.
    private static func makeRoom(_ state: inout State) {
        // Drops the rounds of servers that never asked or got no certificate: the question is asked again when they
        // ask.
        state.rounds = state.rounds.filter { $0.value.isInUse || $0.value.source.answeredIdentity != nil }
        var surplus = state.rounds.count - maximumRounds / 2
        var left: [Key] = []
        for key in state.order {
            guard let round = state.rounds[key] else { continue }
            if surplus > 0, !round.isInUse {
                state.rounds[key] = nil
                surplus -= 1
            } else {
                left.append(key)
            }
        }
        state.order = left
    }

    /// Records that a server accepted a round's answer: later conversations start with it.
    func accepted(_ round: IdentityRound, for key: Key) {
        guard !key.refused.isEmpty else { return }
        let first = Key(origin: key.origin, isMeant: key.isMeant)
        state.withLock { state in
            if state.rounds.updateValue(round, forKey: first) == nil { state.order.append(first) }
        }
    }

    /// Drops a round whose answer was refused: later conversations ask again.
    func forget(_ round: IdentityRound) {
        state.withLock { state in
            state.rounds = state.rounds.filter { $0.value !== round }
            state.order.removeAll { state.rounds[$0] == nil }
        }
    }

    func removeAll() {
        state.withLock { $0 = State() }
        owner.withLock { $0 = ConnectionOwner() }
    }
}

/// One answer, and the conversations that can ask for it.
final class IdentityRound: Sendable {
    typealias Asker = @Sendable () async throws -> ClientIdentity?

    let source: ClientIdentitySource
    /// The key of the question, for screen access.
    var question: SendableKey { SendableKey(ObjectIdentifier(self), for: ClientIdentity?.self) }
    /// Whether a conversation can be asked.
    var isInUse: Bool { !askers.isEmpty }
    private let askers: AskerList<Asker>

    init() {
        let askers = AskerList<Asker>()
        self.askers = askers
        source = ClientIdentitySource {
            // Any of them can ask for all.
            guard let ask = askers.first(where: { _ in true }) else { throw CancellationError() }
            return try await ask()
        }
    }

    /// Lets a conversation answer the server's question.
    ///
    /// - Returns: a ticket for `leave`
    func enter(_ ask: @escaping Asker) -> Int { askers.add(ask) }

    func leave(_ ticket: Int) { askers.remove(ticket) }
}
