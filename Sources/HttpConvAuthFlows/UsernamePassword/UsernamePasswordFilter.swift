package import HttpConvConcurrency
public import HttpConversation
import Logging

/// Answers Basic (RFC 7617) and Digest (RFC 7616) challenges with what its providers know.
///
/// ``CommonAuthenticationConfigurator`` adds it under ``id``; remove it by that id. Providers are asked in order, once
/// for all conversations of a session that are challenged at the same time, and no conversation holds a connection
/// meanwhile.
public struct UsernamePasswordFilter: ChallengeFilter {
    /// The id under which configurators add the filter.
    public static let id = "HttpConvAuthFlows.UsernamePassword"
    /// The name of the custom event for a password that goes over plain http to another machine (rule S11).
    public static let exposedPasswordEvent = "passwordInTheClear"

    public let handles: Set<AuthenticationMethod> = [.basic, .digest]

    private let providers: [any UsernamePasswordProvider]
    /// Questions of filters with other providers are other questions.
    private let flow: FlowIdentity

    /// A filter that asks these providers.
    public init(providers: [any UsernamePasswordProvider]) {
        self.init(providers: providers, flow: FlowIdentity())
    }

    init(providers: [any UsernamePasswordProvider], flow: FlowIdentity) {
        self.providers = providers
        self.flow = flow
    }

    public func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer {
        guard handles.contains(challenge.method) else { return .notHandled }
        // Nobody is asked for a password that could not be used.
        if challenge.method == .digest, DigestParameters(challenge) == nil { return .notHandled }
        if let other = inOtherEncoding(challenge) { return .use(other, other.persistence) }
        return .after(
            question(for: challenge).map { answer in
                switch answer {
                case .none: return .notHandled
                case .cancel: return .cancel
                case .credential(let login, let persistence):
                    guard let credential = try credential(login, persistence, for: challenge, in: context) else {
                        return .notHandled
                    }
                    return .use(credential, persistence)
                }
            })
    }

    /// What makes two questions the same: who asks, and how many answers were refused before.
    private struct Question: Hashable, Sendable {
        let flow: FlowIdentity
        let space: ProtectionSpace
        let round: Int
    }

    /// The key of a question, for tests that hold it until everybody waits.
    package func question(in space: ProtectionSpace, round: Int) -> SendableKey {
        SendableKey(Question(flow: flow, space: space, round: round), for: ProvidedCredential.self)
    }

    /// The providers' answer; one question for all conversations that are challenged alike.
    func question(for challenge: AuthenticationChallenge) -> ConversationStep<ProvidedCredential> {
        ConversationStep(
            Question(flow: flow, space: challenge.space, round: challenge.previousFailureCount),
            policy: StepPolicy(remembers: .outcomes)
        ) { [providers] context in
            for provider in providers {
                switch try await Self.ask(provider, challenge) {
                case .none: continue
                case let answer: return answer
                }
            }
            return .none
        }
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

    /// The answer of this conversation to its own challenge: a Digest one has its own nonce.
    private func credential(
        _ login: UsernamePassword, _ persistence: CredentialPersistence, for challenge: AuthenticationChallenge,
        in context: ConversationContext
    ) throws(ConversationError) -> (any Credential)? {
        guard challenge.method == .basic else {
            return try DigestCredential(login, for: challenge, in: context)
        }
        warnIfExposed(challenge, in: context)
        let credential = try BasicCredential(login, for: challenge, persistence: persistence)
        // Where the UTF-8 form was refused, the other one was before it: neither is sent again.
        if let other = credential.otherEncoding, challenge.refused.contains(where: { $0.hasSameSecret(as: other) }) {
            return other
        }
        return credential
    }

    /// A server that says nothing about its encoding may have meant UTF-8: once more, and nobody is asked.
    private func inOtherEncoding(_ challenge: AuthenticationChallenge) -> BasicCredential? {
        guard challenge.method == .basic, let refused = challenge.refused.last as? BasicCredential,
            let other = refused.otherEncoding
        else { return nil }
        return challenge.refused.contains { $0.hasSameSecret(as: other) } ? nil : other
    }

    func warnIfExposed(_ challenge: AuthenticationChallenge, in context: ConversationContext) {
        let origin = challenge.space.origin
        guard origin.scheme == .http, !origin.isLoopback else { return }
        context.logger.warning(
            "a password is sent unencrypted: Basic over plain http", metadata: ["space": "\(challenge.space)"])
        context.notify(Self.exposedPasswordEvent, ["space": challenge.space.description])
    }
}

extension UsernamePasswordFilter: CustomStringConvertible, CustomReflectable {
    /// The number of providers; what they know is not shown.
    public var description: String { "UsernamePasswordFilter with \(providers.count) providers" }
    public var customMirror: Mirror { Mirror(self, children: ["providers": providers.count]) }
}
