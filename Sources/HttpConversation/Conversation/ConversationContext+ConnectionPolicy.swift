extension ConversationContext {
    /// The settings of the transport and of the conversation's filters, for a strategy that shows a login.
    public var connectionPolicy: ConnectionPolicy { connectionPolicy { $0 } }

    /// - Parameter relevant: the settings of filters that count
    func connectionPolicy(
        _ relevant: (Set<ConnectionPolicy.Setting>) -> Set<ConnectionPolicy.Setting>
    ) -> ConnectionPolicy {
        var policy = transport.connectionPolicy
        for filter in configuration.challengeFilters.elements {
            var settings = filter.connectionPolicy
            settings.everywhere = relevant(settings.everywhere)
            settings.origins = settings.origins.mapValues(relevant)
            policy.formUnion(settings)
        }
        let areUsed = configuration.proxies.areUsed(by: transport.capabilities)
        let proxies = areUsed ? configuration.proxies.servers : []
        // The authorities for proxies matter only if a proxy is reached over TLS.
        if !proxies.contains(where: { $0.kind == .https }) { policy.everywhere.remove(.proxyAuthorities) }
        // Settings for a proxy affect all servers behind it.
        for proxy in proxies { policy.everywhere.formUnion(policy.origins[proxy.origin] ?? []) }
        return policy
    }
}
