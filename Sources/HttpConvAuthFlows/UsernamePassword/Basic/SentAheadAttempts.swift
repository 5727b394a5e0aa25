import HTTPTypes
import HttpConversation
import Synchronization

/// Learns from responses which of the passwords that are sent ahead were refused. A 401 refuses the password, unless it
/// asks for other kinds of login only. A 403 does not refuse it.
final class SentAheadAttempts: ConversationObserver {
    private let attempts = PasswordAttempts<Origin>()
    /// The passwords that the conversations' exchanges carry.
    private let sent = Mutex<[ConversationID: PasswordAttempts<Origin>.Attempt]>([:])

    /// Decides whether a conversation's next exchange may carry a password.
    func decide(_ password: SentAheadPassword, for id: ConversationID) -> PasswordAttempts<Origin>.Decision {
        let decision = attempts.decide(password.login, at: password.origin)
        if case .send(let attempt) = decision { sent.withLock { $0[id] = attempt } }
        return decision
    }

    /// Waits until a conversation's next exchange may carry a password. A slow resource must not hold up the others: the
    /// wait has a limit.
    ///
    /// - Returns: false if it was refused
    func permits(_ password: SentAheadPassword, in context: ConversationContext) async throws -> Bool {
        let attempt = try await attempts.permission(
            for: password.login, at: password.origin, clock: context.configuration.clock)
        guard let attempt else { return false }
        sent.withLock { $0[context.id] = attempt }
        return true
    }

    /// Ends the attempt of a conversation whose next exchange does not carry the password after all.
    func withdraw(_ id: ConversationID) { settle(id, .unknown) }

    func observe(_ event: ConversationEvent) {
        switch event.kind {
        case .responseReceived(let response): settle(event.conversationID, Self.outcome(of: response))
        case .exchangeFailed, .conversationEnded: settle(event.conversationID, .unknown)
        default: return
        }
    }

    private func settle(_ id: ConversationID, _ outcome: PasswordAttempts<Origin>.Outcome) {
        if let attempt = sent.withLock({ $0.removeValue(forKey: id) }) { attempts.settle(attempt, outcome) }
    }

    /// A proxy that asks has not passed the request on, and a server that is overloaded, say, may not have looked at the
    /// password.
    private static func outcome(of response: ObservedResponse) -> PasswordAttempts<Origin>.Outcome {
        switch response.status.code {
        case 401: refusesPasswords(response.headerFields.value) ? .refused : .unknown
        case 407: .unknown
        case let code: HTTPResponse.Status.leavesLoginUnjudged(code) ? .unknown : .accepted
        }
    }

    /// Whether a 401 offers Basic, or nothing at all. A 401 that only offers other schemes says nothing about the
    /// password.
    private static func refusesPasswords(_ fields: HTTPFields) -> Bool {
        let offered = fields[values: .wwwAuthenticate].flatMap { ChallengeParser.parse($0).challenges }
        return offered.isEmpty || offered.contains { $0.method == .basic }
    }
}
