public import HTTPTypes

extension ConversationContext {
    /// Runs a child conversation. It has the same transport, observers and limits. Its only filters are those for TLS
    /// handshakes: they judge its connections like the parent's, and a server that got a client certificate gets the
    /// same one. Unless `configure` adds them, it has no cookies and no credentials. With another person's session, the
    /// child does not use this conversation's client certificates either. It uses the same proxies, with this
    /// conversation's logins for them. It is cancelled with the calling task.
    ///
    /// - Parameters:
    ///   - request: the request
    ///   - body: the request's body; nil: none
    ///   - configure: changes the child's configuration
    public func start(
        _ request: HTTPRequest, body: RequestBody? = nil,
        configure: (inout HttpConversationManager.Configuration) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        var loop = try child(configure).loop(for: request, body)
        return try await ConversationRunner.data(&loop)
    }

    /// Like ``start(_:body:configure:)``, with the body as a sequence.
    package func startStreaming(
        _ request: HTTPRequest, body: RequestBody?,
        configure: (inout HttpConversationManager.Configuration) -> Void
    ) async throws(ConversationError) -> ConversationStream {
        try await child(configure).bytes(for: request, body: body) { _ in }
    }

    @inline(never) private func child(
        _ configure: (inout HttpConversationManager.Configuration) -> Void
    ) -> ConversationRunner {
        var child = configuration.withoutFilters()
        let inherited = child.challengeFilters
        configure(&child)
        if child.session.identities !== session.identities {
            // Another person has certificates of their own (security rule S2).
            child.challengeFilters = child.challengeFilters.mapping(thoseOf: inherited) {
                $0.part(in: [.serverTrust])
            }
        }
        // With the same filters it uses the same connections, and nobody is asked about a server again.
        let trust = snapshot.trust.flatMap { child.challengeFilters.judges == inherited.judges ? $0 : nil }
        return ConversationRunner(
            transport: transport, snapshot: ConfigurationSnapshot(child, sharing: trust), parent: self,
            extraObservers: log?.additionalObservers ?? [])
    }
}
