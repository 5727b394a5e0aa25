/// The configuration that a conversation started with, shared instead of copied: it is a large value.
final class ConfigurationSnapshot: Sendable {
    let value: HttpConversationManager.Configuration

    /// What the filters need together; looked up once, not for each conversation.
    private let required: TransportCapabilities
    /// Whether there are problems, or a wish that not every transport fulfils.
    private let isDoubtful: Bool
    /// Who is asked where a server wants a client certificate.
    let certificateFilters: [FilterList<any ChallengeFilter>.Entry]
    /// Who has a say about the certificates of servers, and what was said: for this configuration and no other.
    let trustFilters: [FilterList<any ChallengeFilter>.Entry]
    let trust: TrustDecisions?
    /// Which requests go through which proxy; nil: none does.
    let proxies: ProxySettings?
    /// Whether no filter has anything to say in a handshake.
    let leavesTLSToTheTransport: Bool

    init(_ value: HttpConversationManager.Configuration) {
        self.value = value
        required = value.requiredCapabilities
        isDoubtful = !value.problems.isEmpty || !value.hostFields.isEmpty
        certificateFilters = value.challengeFilters.entries.filter { $0.element.handles.contains(.clientCertificate) }
        trustFilters = value.challengeFilters.entries.filter { $0.element.handles.contains(.serverTrust) }
        trust = trustFilters.isEmpty ? nil : TrustDecisions(trustFilters.map(\.element))
        proxies = value.proxies.isEmpty ? nil : value.proxies
        leavesTLSToTheTransport = certificateFilters.isEmpty && trustFilters.isEmpty
    }

    /// Fails where the configuration has a problem or wants what the transport cannot do.
    func validate(for transport: any HTTPTransport) throws(ConversationError) {
        guard isDoubtful || !required.isEmpty && !transport.capabilities.isSuperset(of: required) else { return }
        try value.validate(for: transport)
    }
}
