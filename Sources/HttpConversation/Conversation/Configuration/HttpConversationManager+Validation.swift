extension HttpConversationManager.Configuration {
    /// The capabilities that the filters need together.
    public var requiredCapabilities: TransportCapabilities {
        filters.reduce(into: []) { $0.formUnion($1.filter.requiredCapabilities) }
    }

    /// Checks that there are no problems and that a transport has the capabilities that the filters need.
    ///
    /// - Throws: ``ConversationError/Code/invalidConfiguration``, which names the problem
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
