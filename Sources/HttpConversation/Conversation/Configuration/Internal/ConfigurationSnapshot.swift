/// The configuration at a conversation's start. A shared reference, since the value is large.
final class ConfigurationSnapshot: Sendable {
    let value: HttpConversationManager.Configuration

    /// The capabilities that the filters need together, computed once for all conversations.
    private let required: TransportCapabilities
    /// Whether there are problems, or settings that not every transport supports.
    private let needsValidation: Bool
    let observers: Observers
    /// The filters that prepare requests.
    let preparingFilters: [FilterList<any RequestFilter>.Entry]
    /// The filters for servers that ask for a client certificate.
    let certificateFilters: [FilterList<any ChallengeFilter>.Entry]
    /// The filters by whose answers a server may know the person on a connection.
    let bindingFilters: [any ChallengeFilter]
    /// The filters that judge servers' certificates, and their decisions. Configurations that were made from this one
    /// share the decisions, if they have the same of these filters and the same person's session.
    let trustFilters: [FilterList<any ChallengeFilter>.Entry]
    let trust: TrustDecisions?
    /// The rules for proxies; nil: no request uses one.
    let proxies: ProxySettings?
    /// Whether no filter takes part in handshakes.
    let leavesTLSToTheTransport: Bool

    /// - Parameter trust: the decisions of another configuration with the same filters for servers' certificates; nil:
    ///   its own
    init(_ value: HttpConversationManager.Configuration, sharing trust: TrustDecisions? = nil) {
        self.value = value
        required = value.requiredCapabilities
        observers = Observers(value.observers.elements)
        needsValidation = !value.problems.isEmpty || !value.hostFields.isEmpty
        preparingFilters = value.requestFilters.entries.filter(\.element.preparesRequests)
        certificateFilters = value.challengeFilters.entries.filter { $0.element.handles.contains(.clientCertificate) }
        bindingFilters = value.challengeFilters.elements.filter {
            $0.requiredCapabilities.contains(.connectionOwners)
        }
        trustFilters = value.challengeFilters.entries.filter { $0.element.handles.contains(.serverTrust) }
        self.trust = trustFilters.isEmpty ? nil : trust ?? TrustDecisions(trustFilters.map(\.element))
        proxies = value.proxies.isEmpty ? nil : value.proxies
        leavesTLSToTheTransport = certificateFilters.isEmpty && trustFilters.isEmpty
    }

    /// The decisions about servers that a configuration shares which was made from this one.
    func trust(for other: HttpConversationManager.Configuration) -> TrustDecisions? {
        guard let trust, other.session === value.session, other.challengeFilters.judges == value.challengeFilters.judges
        else { return nil }
        return trust
    }

    /// Throws if the configuration has a problem or needs a capability that the transport lacks.
    func validate(for transport: any HTTPTransport) throws(ConversationError) {
        guard needsValidation || !required.isEmpty && !transport.capabilities.isSuperset(of: required) else { return }
        try value.validate(for: transport)
    }
}

extension FilterList<any ChallengeFilter> {
    /// The filters that judge servers' certificates, by their identity.
    var judges: [ObjectIdentifier] {
        entries.filter { $0.element.handles.contains(.serverTrust) }.map { ObjectIdentifier($0) }
    }
}
