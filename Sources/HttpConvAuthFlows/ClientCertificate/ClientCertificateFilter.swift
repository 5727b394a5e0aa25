public import HttpConversation

/// Answers requests for a client certificate in the TLS handshake, by its providers.
///
/// Providers are asked in order, once for all conversations of a session that use the same server, and only for the
/// servers that they serve.
public struct ClientCertificateFilter: ChallengeFilter {
    public let handles: Set<AuthenticationMethod> = [.clientCertificate]
    public var requiredCapabilities: TransportCapabilities { .clientCertificates }

    private let providers: [any ClientCertProvider]
    /// Separates the questions of filters with different providers.
    private let flow: FlowIdentity

    /// A filter with providers.
    public init(providers: [any ClientCertProvider]) {
        self.init(providers: providers, flow: FlowIdentity())
    }

    init(providers: [any ClientCertProvider], flow: FlowIdentity) {
        self.providers = providers
        self.flow = flow
    }

    public func presentsIdentity(to destination: CredentialDestination) -> Bool {
        providers.contains { $0.serves(destination) }
    }

    private struct Question: Hashable, Sendable {
        let flow: FlowIdentity
        let origin: Origin
        let round: Int
        let asked: [Int]
    }

    public func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer {
        guard challenge.method == .clientCertificate else { return .notHandled }
        let asked = providers.indices.filter { providers[$0].serves(challenge.destination) }
        guard !asked.isEmpty else { return .notHandled }
        let question = Question(
            flow: flow, origin: challenge.target.origin, round: challenge.previousFailureCount, asked: asked)
        return .after(
            ConversationStep<ChallengeAnswer>(question, policy: StepPolicy(remembers: .failures)) { context in
                for provider in asked.map({ providers[$0] }) {
                    let ask = { @Sendable in try await provider.identity(for: challenge) }
                    switch provider.isInteractive ? try await context.interact(ask) : try await ask() {
                    case .identity(let identity): return .present(identity)
                    case .noCertificate: return .present(nil)
                    case .none: continue
                    case .cancel: return .cancel
                    }
                }
                return .notHandled
            })
    }
}

extension ClientCertificateFilter: CustomStringConvertible, CustomReflectable {
    /// The number of providers.
    public var description: String { "ClientCertificateFilter with \(providers.count) providers" }
    public var customMirror: Mirror { Mirror(self, children: ["providers": providers.count]) }
}
