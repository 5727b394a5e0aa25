extension ProxySettings {
    /// Whether a transport uses these proxies. Proxies that were chosen are used, or the request fails (security rule
    /// S25).
    func areUsed(by capabilities: TransportCapabilities) -> Bool {
        !isDefault || capabilities.contains(.proxies) || !capabilities.contains(.systemProxies)
    }
}
