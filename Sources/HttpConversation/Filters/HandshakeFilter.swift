/// What a filter answers in the TLS handshake, without the rest of it.
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

    func serverTrustTerms(for origin: Origin) -> ServerTrustTerms { filter.serverTrustTerms(for: origin) }
}

extension ChallengeFilter {
    /// The filter as far as it answers these questions of TLS handshakes, or proxies: they are the same ones, whatever goes
    /// through them. Nil where it does not.
    func part(in handshakes: Set<AuthenticationMethod>) -> (any ChallengeFilter)? {
        if isForProxies { return self }
        let part = handles.intersection(handshakes)
        if part.isEmpty { return nil }
        return part == handles ? self : HandshakeFilter(filter: self, handles: part)
    }
}
