public import HttpConversation

extension NIOTransport {
    /// The policy that the configuration expresses: authorities, given addresses and sockets, the address family.
    public var connectionPolicy: ConnectionPolicy {
        var policy = configuration.addresses.policy
        if configuration.tls.namesAuthorities { policy.everywhere.insert(.authorities) }
        if (configuration.proxyTLS ?? configuration.tls).namesAuthorities {
            policy.everywhere.insert(.proxyAuthorities)
        }
        if configuration.addressFamily != nil { policy.everywhere.insert(.addressFamily) }
        return policy
    }
}

extension NIOTransport.TLSSettings {
    /// Whether only certain authorities are trusted. False without verification: then any client is as strict.
    fileprivate var namesAuthorities: Bool {
        guard verifiesCertificates else { return false }
        if case .system = trustRoots { return false }
        return true
    }
}
