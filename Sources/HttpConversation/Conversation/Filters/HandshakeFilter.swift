/// The part of a filter that answers in the TLS handshake.
struct HandshakeFilter: ChallengeFilter {
    let filter: any ChallengeFilter
    let handles: Set<AuthenticationMethod>

    var requiredCapabilities: TransportCapabilities { filter.requiredCapabilities }
    var connectionPolicy: ConnectionPolicy {
        handles.contains(.serverTrust) ? filter.connectionPolicy : ConnectionPolicy()
    }

    func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer {
        try await filter.answer(challenge, in: context)
    }

    func presentsIdentity(to destination: CredentialDestination) -> Bool { filter.presentsIdentity(to: destination) }

    func bindsConnections(to destination: CredentialDestination) -> Bool { false }

    func serverTrustTerms(for origin: Origin) -> ServerTrustTerms { filter.serverTrustTerms(for: origin) }
}

extension ChallengeFilter {
    /// The part of the filter that answers these questions of TLS handshakes, or proxies, which are the same for all
    /// requests. Nil if it answers none.
    func part(in handshakes: Set<AuthenticationMethod>) -> (any ChallengeFilter)? {
        if isForProxies { return self }
        let part = handles.intersection(handshakes)
        if part.isEmpty { return nil }
        return part == handles ? self : HandshakeFilter(filter: self, handles: part)
    }
}
