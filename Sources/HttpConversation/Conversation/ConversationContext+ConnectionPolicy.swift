extension ConversationContext {
    /// The settings of the transport and of the conversation's filters, for a strategy that shows a login.
    public var connectionPolicy: ConnectionPolicy {
        var policy = transport.connectionPolicy
        for filter in configuration.challengeFilters.elements { policy.formUnion(filter.connectionPolicy) }
        let proxies = configuration.proxies.servers
        // Without such a proxy, its authorities do not matter.
        if !proxies.contains(where: { $0.kind == .https }) { policy.everywhere.remove(.proxyAuthorities) }
        // Settings for a proxy affect all servers behind it.
        for proxy in proxies { policy.everywhere.formUnion(policy.origins[proxy.origin] ?? []) }
        return policy
    }
}
