/// The settings that decide which servers a conversation speaks to, beyond what a URL says.
///
/// Another program, such as a browser that shows a login, knows none of them. A web strategy reads the policy from its
/// context, holds each setting or refuses the login before anything is sent (security rule S28):
///
/// ```swift
/// let kept = context.connectionPolicy.settings(for: login.start.origin)
/// guard kept.isEmpty else { throw WebLoginError(.invalidConfiguration, "This view cannot hold: \(kept)") }
/// ```
public struct ConnectionPolicy: Hashable, Sendable {
    /// One kind of setting.
    public enum Setting: String, Hashable, Sendable, CaseIterable {
        /// A server is accepted with certain keys only, or a filter of the application judges it.
        case pinnedKeys
        /// Only named authorities vouch for servers.
        case authorities
        /// A server is reached at given addresses.
        case givenAddress
        /// A server is reached by a Unix socket.
        case unixSocket
        /// Only one kind of address is connected to.
        case addressFamily
        /// Only named authorities vouch for proxies that are reached by TLS.
        case proxyAuthorities
    }

    /// What holds for every server.
    public var everywhere: Set<Setting> = []
    /// What holds for one server, beside ``everywhere``.
    public var origins: [Origin: Set<Setting>] = [:]

    /// A policy without any setting.
    public init() {}

    /// A policy that holds for some servers.
    ///
    /// - Parameters:
    ///   - settings: what holds
    ///   - origins: the servers; empty: all
    public init(_ settings: Set<Setting>, for origins: [Origin] = []) {
        if origins.isEmpty { everywhere = settings }
        for origin in origins { self.origins[origin] = settings }
    }

    /// Whether nothing but the URL decides.
    public var isEmpty: Bool { everywhere.isEmpty && origins.values.allSatisfy(\.isEmpty) }

    /// What holds for connections to a server. Settings about certificates say nothing about plain http.
    public func settings(for origin: Origin) -> Set<Setting> {
        let settings = everywhere.union(origins[origin] ?? [])
        return origin.scheme == .https ? settings : settings.subtracting([.pinnedKeys, .authorities])
    }

    /// Adds what another policy says.
    public mutating func formUnion(_ other: ConnectionPolicy) {
        everywhere.formUnion(other.everywhere)
        origins.merge(other.origins) { $0.union($1) }
    }
}

extension ConnectionPolicy.Setting: CustomStringConvertible {
    /// The setting for people, such as `pinned keys`.
    public var description: String {
        switch self {
        case .pinnedKeys: "pinned keys"
        case .authorities: "named authorities"
        case .givenAddress: "a given address"
        case .unixSocket: "a Unix socket"
        case .addressFamily: "one kind of address"
        case .proxyAuthorities: "named authorities of proxies"
        }
    }
}

extension Set<ConnectionPolicy.Setting> {
    /// The settings for people, in a fixed order.
    package var words: String {
        ConnectionPolicy.Setting.allCases.filter(contains).map(\.description).joined(separator: ", ")
    }
}

extension ConversationContext {
    /// The settings of the transport and of the conversation's filters, for a strategy that shows a login.
    public var connectionPolicy: ConnectionPolicy {
        var policy = transport.connectionPolicy
        for filter in configuration.challengeFilters.elements { policy.formUnion(filter.connectionPolicy) }
        let proxies = configuration.proxies.servers
        // Without such a proxy they decide about nothing.
        if !proxies.contains(where: { $0.kind == .https }) { policy.everywhere.remove(.proxyAuthorities) }
        // The way to a proxy is the way to all that is behind it.
        for proxy in proxies { policy.everywhere.formUnion(policy.origins[proxy.origin] ?? []) }
        return policy
    }
}
