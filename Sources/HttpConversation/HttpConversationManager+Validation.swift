extension HttpConversationManager {
    /// Checks that the configuration has no problems and that the transport can do what its filters need.
    ///
    /// A conversation fails in the same way at its start, before anything is sent; here it is found out earlier.
    ///
    /// - Throws: ``ConversationError/Code/invalidConfiguration``, which says what is wrong: the argument of a configurator,
    ///   or the filter and what it lacks
    public func validate() throws(ConversationError) { try configuration.validate(for: transport) }
}

extension HttpConversationManager.Configuration {
    /// What the filters need of a transport, together.
    public var requiredCapabilities: TransportCapabilities {
        filters.reduce(into: []) { $0.formUnion($1.filter.requiredCapabilities) }
    }

    /// Checks that there are no problems and that a transport can do what the filters need.
    ///
    /// - Throws: ``ConversationError/Code/invalidConfiguration``, which says what is wrong
    public func validate(for transport: any HTTPTransport) throws(ConversationError) {
        if let problem = problems.first { throw problem }
        let capabilities = transport.capabilities
        guard hostFields.isEmpty || capabilities.contains(.hostField) else {
            throw ConversationError(
                .invalidConfiguration,
                "The transport \(type(of: transport)) sends no Host but the URL's (hostFields). Nothing was sent: use another transport."
            )
        }
        for (id, filter) in filters {
            let missing = filter.requiredCapabilities.subtracting(capabilities)
            guard !missing.isEmpty else { continue }
            throw ConversationError(
                .invalidConfiguration,
                """
                The filter \(TerminalText.sanitise(id)) needs what the transport \(type(of: transport)) cannot do \
                (\(missing)). Nothing was sent: use another transport, or leave the filter out.
                """)
        }
    }

    private var filters: [(id: String, filter: any ConversationFilter)] {
        requestFilters.entries.map { ($0.id, $0.element) } + redirectFilters.entries.map { ($0.id, $0.element) }
            + challengeFilters.entries.map { ($0.id, $0.element) } + responseFilters.entries.map { ($0.id, $0.element) }
    }
}
