package import HttpConvConcurrency
package import HttpConversation
import Logging

/// Answers Basic (RFC 7617) and Digest (RFC 7616) challenges with its providers' logins.
///
/// Providers are asked in order, once for all conversations of a session that are challenged at the same time. No
/// conversation holds a connection meanwhile. A provider is asked only about the servers that it serves, and its answer
/// goes only to them.
package struct UsernamePasswordFilter: ChallengeFilter {
    package let handles: Set<AuthenticationMethod> = [.basic, .digest]

    package let isForProxies: Bool

    private let providers: [any UsernamePasswordProvider]
    /// Separates the questions of filters with different providers.
    private let flow: FlowIdentity

    /// A filter with providers.
    package init(providers: [any UsernamePasswordProvider]) {
        self.init(providers: providers, flow: FlowIdentity())
    }

    /// - Parameter isForProxies: whether it answers proxies instead of servers
    init(providers: [any UsernamePasswordProvider], flow: FlowIdentity, isForProxies: Bool = false) {
        self.isForProxies = isForProxies
        self.providers = providers
        self.flow = flow
    }

    package func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer {
        guard handles.contains(challenge.method) else { return .notHandled }
        // Do not ask for a password that could not be used.
        if challenge.method == .digest, DigestParameters(challenge) == nil { return .notHandled }
        if let other = inOtherEncoding(challenge) { return .use(other, other.persistence) }
        guard let question = question(for: challenge, in: context) else { return .notHandled }
        return .after(
            question.map { provided in
                switch provided.answer {
                case .none: return .notHandled
                case .cancel: return .cancel
                case .credential(let login, let persistence):
                    guard
                        let credential = try credential(
                            login, persistence, of: provided.provider, for: challenge, in: context)
                    else { return .notHandled }
                    return .use(credential, persistence)
                }
            })
    }

    /// A provider's answer.
    struct Provided: Sendable {
        var answer = ProvidedCredential.none
        var provider: (any UsernamePasswordProvider)?
    }

    /// The identity of a question: the protection space, the number of refused answers, and the providers that serve
    /// it.
    private struct Question: Hashable, Sendable {
        let flow: FlowIdentity
        let space: ProtectionSpace
        let round: Int
        let asked: [Int]
    }

    /// The key of the first question to all providers, for tests that hold it until all requests wait.
    package func question(in space: ProtectionSpace) -> SendableKey {
        let question = Question(flow: flow, space: space, round: 0, asked: Array(providers.indices))
        return SendableKey(question, for: Provided.self)
    }

    /// The question to the providers that serve the challenge's server, in order. Conversations with the same challenge
    /// share it. Nil if no provider may be asked.
    func question(
        for challenge: AuthenticationChallenge, in context: ConversationContext
    ) -> ConversationStep<Provided>? {
        let asked = providers.indices.filter { providers[$0].servesServerOrProxy(challenge.destination) }
        let isExposed = challenge.method == .basic && challenge.destination.exposesPassword
        guard !asked.isEmpty, !isExposed else {
            // It is normal that a server's password is not for a proxy: nothing to report.
            if challenge.proxy == nil {
                withhold(challenge, asked.isEmpty ? .otherServer : .plainHTTP, in: context)
            }
            return nil
        }
        let question = Question(
            flow: flow, space: challenge.space, round: challenge.previousFailureCount, asked: asked)
        // Only providers that ask a person wait for the screen.
        return ConversationStep(question, policy: StepPolicy(remembers: .outcomes)) { [providers] context in
            for provider in asked.map({ providers[$0] }) {
                let ask = { @Sendable in try await Self.ask(provider, challenge) }
                let answer = provider.isInteractive ? try await context.interact(ask) : try await ask()
                if case .none = answer { continue }
                return Provided(answer: answer, provider: provider)
            }
            return Provided()
        }
    }

    private func withhold(
        _ challenge: AuthenticationChallenge, _ reason: LoginEvent.WithheldReason, in context: ConversationContext
    ) {
        context.logger.notice(
            "no provider is asked for a password there",
            metadata: ["space": "\(challenge.space)", "reason": "\(reason)"])
        context.notify(.passwordWithheld(challenge.space, reason: reason))
    }

    private static func ask(
        _ provider: any UsernamePasswordProvider, _ challenge: AuthenticationChallenge
    ) async throws -> ProvidedCredential {
        do { return try await provider.credential(for: challenge) } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ConversationError(
                .authenticationFailed, "The credential provider failed for \(challenge.space).", underlyingError: error,
                challenge: challenge)
        }
    }

    /// This conversation's answer to its own challenge: a Digest answer has its own nonce.
    func credential(
        _ login: UsernamePassword, _ persistence: CredentialPersistence,
        of provider: (any UsernamePasswordProvider)?, for challenge: AuthenticationChallenge,
        in context: ConversationContext
    ) throws(ConversationError) -> (any Credential)? {
        if challenge.method == .basic { warnIfExposed(challenge, in: context) }
        let credential = try login.credential(for: challenge, persistence: persistence, in: context, of: provider)
        guard let basic = credential as? BasicCredential else { return credential }
        // If the UTF-8 form was refused, the other form was refused before it: send neither again.
        if let other = basic.otherEncoding, challenge.refused.contains(where: { $0.hasSameSecret(as: other) }) {
            return other
        }
        // If it was sent ahead and refused, sending it again would be a second failed login.
        return basic.isRefused(context[SentAheadKey.self], by: challenge) ? basic.otherEncoding : basic
    }

    /// The password in the other encoding, tried once without asking: a server may expect UTF-8 without saying so.
    func inOtherEncoding(_ challenge: AuthenticationChallenge) -> BasicCredential? {
        guard challenge.method == .basic, let refused = challenge.refused.last as? BasicCredential,
            let other = refused.otherEncoding
        else { return nil }
        return challenge.refused.contains { $0.hasSameSecret(as: other) } ? nil : other
    }

    func warnIfExposed(_ challenge: AuthenticationChallenge, in context: ConversationContext) {
        let origin = challenge.space.origin
        guard !origin.isSecure else { return }
        context.logger.warning(
            "a password is sent unencrypted: Basic over plain http", metadata: ["space": "\(challenge.space)"])
        context.notify(.passwordInTheClear(challenge.space))
    }
}

extension UsernamePasswordFilter: CustomStringConvertible, CustomReflectable {
    /// The number of providers.
    package var description: String { "UsernamePasswordFilter with \(providers.count) providers" }
    package var customMirror: Mirror { Mirror(self, children: ["providers": providers.count]) }
}
