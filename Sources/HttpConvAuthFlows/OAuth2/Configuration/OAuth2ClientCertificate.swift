import HttpConvFormats
import HttpConversation
import Synchronization

/// The certificate of an OAuth2 client: the same one for the token endpoint and for the servers that get its tokens
/// (RFC 8705 §3). Its provider is asked once.
final class OAuth2ClientCertificate: Sendable {
    private let source: any ClientCertProvider
    private let answer = Mutex<ClientIdentity?>(nil)

    init(_ source: any ClientCertProvider) { self.source = source }

    private var known: ClientIdentity? { answer.withLock { $0 } }

    /// The certificate that a server would get, before it asks; nil if there is none.
    func identity(
        aheadOf target: TargetURL, in context: ConversationContext
    ) async throws -> ClientIdentity? {
        if let known { return known }
        let question = ConversationStep<ClientIdentity?>(self, policy: StepPolicy()) { [self] context in
            let challenge = AuthenticationChallenge(
                space: ProtectionSpace(origin: target.origin, method: .clientCertificate, realm: ""),
                offered: OfferedChallenge(scheme: "\(AuthenticationMethod.clientCertificate)", realm: ""),
                target: target, response: nil, context: context)
            let ask = { @Sendable [self] in try await identity(for: challenge) }
            guard
                case .identity(let identity) = source.isInteractive ? try await context.interact(ask) : try await ask()
            else { return nil }
            return identity
        }
        return try await context.perform(question)
    }

    /// The provider's answer; asks again after a refusal.
    fileprivate func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        if challenge.previousFailureCount == 0, let known { return .identity(known) }
        let provided = try await source.identity(for: challenge)
        if case .identity(let identity) = provided { answer.withLock { $0 = identity } }
        return provided
    }

    /// A provider for the endpoints of the authorization server, of any origin: they get the client's secrets anyway.
    var forEndpoints: any ClientCertProvider {
        Shown(certificate: self, isInteractive: source.isInteractive) { _ in true }
    }

    /// A provider for the servers that get a support's tokens.
    func forResources(of support: any OAuth2ServerSupport) -> any ClientCertProvider {
        Shown(certificate: self, isInteractive: source.isInteractive) { destination in
            support.isSupportedEndpoint(destination.target) && support.maySendTokens(to: destination.target)
        }
    }

    private struct Shown: ClientCertProvider {
        let certificate: OAuth2ClientCertificate
        let isInteractive: Bool
        let isServed: @Sendable (CredentialDestination) -> Bool

        func serves(_ destination: CredentialDestination) -> Bool { isServed(destination) }

        func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
            try await certificate.identity(for: challenge)
        }
    }
}

extension OAuth2ClientCertificate: Hashable {
    /// Equality by identity: providers cannot be compared.
    static func == (one: OAuth2ClientCertificate, other: OAuth2ClientCertificate) -> Bool { one === other }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ClientIdentity {
    /// The certificate's identifier in bound tokens: `x5t#S256` (RFC 8705 §3.1).
    var thumbprint: String { Base64URL.text(summary.fingerprint) }
}
