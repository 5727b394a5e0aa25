import HTTPTypes
import HttpConvFormats
import HttpConversation

/// Sends passwords before any challenge: each to its own origin, over https or to this machine, in every exchange
/// (security rules S7 and S11), and not by Basic once the origin has offered Digest (security rule S10). A refused one
/// is not sent again soon.
///
/// ``CommonAuthenticationConfigurator`` adds it under ``FlowID/usernamePassword``. A caller's own `Authorization`
/// stays.
struct SentAheadFilter: RequestFilter {
    let passwords: [SentAheadPassword]
    /// Knows the refused passwords; it has to be an observer of the same configuration. Nil: the owner of this filter
    /// knows them.
    let attempts: SentAheadAttempts?
    var preparesRequests: Bool { false }

    func authorizeAtOnce(_ request: inout ConversationRequest, in context: ConversationContext) throws -> Bool {
        guard let password = password(for: request, in: context) else { return true }
        switch attempts(in: context)?.decide(password, for: context.id) {
        case nil, .send: try Self.attach(password, to: &request)
        case .refused: break
        case .wait: return false
        }
        return true
    }

    nonisolated(nonsending) func authorize(
        _ request: inout ConversationRequest, in context: ConversationContext
    ) async throws {
        guard let password = password(for: request, in: context), let attempts = attempts(in: context),
            try await attempts.permits(password, in: context)
        else { return }
        // Digest may have been offered meanwhile.
        guard context.sendsBasic(to: password.origin) else {
            context[SentAheadKey.self] = nil
            return attempts.withdraw(context.id)
        }
        try Self.attach(password, to: &request)
    }

    /// The password for a request. The context has it from then on, even if it is not sent because it was refused.
    private func password(for request: ConversationRequest, in context: ConversationContext) -> SentAheadPassword? {
        let origin = request.target.origin
        var password = passwords.first { $0.origin == origin }
        if request.headerFields.contains(.authorization) || !context.sendsBasic(to: origin) { password = nil }
        context[SentAheadKey.self] = password
        return password
    }

    /// Nil if the application has removed the observer: without outcomes, requests would wait for each other for ever.
    private func attempts(in context: ConversationContext) -> SentAheadAttempts? {
        context.configuration.observers.all(of: SentAheadAttempts.self).first { $0 === attempts }
    }

    private static func attach(_ password: SentAheadPassword, to request: inout ConversationRequest) throws {
        request.headerFields.append(try HTTPField(.authorization, checking: password.authorization.value))
    }
}

/// The context key of the password that the last exchange carried before a challenge, or that was refused before it.
enum SentAheadKey: ConversationContextKey { typealias Value = SentAheadPassword }

extension SentAheadPassword {
    /// Whether a challenge means that this secret was refused.
    func isRefused(by challenge: AuthenticationChallenge, as octets: [UInt8]) -> Bool {
        challenge.method == .basic && challenge.proxy == nil && challenge.space.origin == origin
            && ConstantTime.isEqual(octets, self.octets.value)
    }
}

extension SentAheadFilter: CustomStringConvertible, CustomReflectable {
    /// The number of passwords.
    var description: String { "SentAheadFilter with \(passwords.count) passwords" }
    var customMirror: Mirror { Mirror(self, children: ["passwords": passwords.count]) }
}
