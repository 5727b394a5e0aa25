/// The settings beyond the URL that decide which servers a conversation connects to.
///
/// Another program, such as a browser that shows a login, does not know them. A web strategy reads the policy from its
/// context, and either applies each setting or refuses the login before anything is sent (security rule S28):
///
/// ```swift
/// let kept = context.connectionPolicy.settings(for: login.start.origin)
/// guard kept.isEmpty else { throw WebLoginError(.invalidConfiguration, "This view cannot hold: \(kept)") }
/// ```
public struct ConnectionPolicy: Hashable, Sendable {
    /// A kind of setting.
    public enum Setting: String, Hashable, Sendable, CaseIterable {
        /// A server is accepted only with certain keys, or is judged by a filter of the application.
        case pinnedKeys
        /// Servers need a certificate from named authorities.
        case authorities
        /// A server is reached at given addresses.
        case givenAddress
        /// A server is reached by a Unix socket.
        case unixSocket
        /// Connections use only one family of addresses.
        case addressFamily
        /// Proxies that are reached by TLS need a certificate from named authorities.
        case proxyAuthorities
    }

    /// The settings for every server.
    public var everywhere: Set<Setting> = []
    /// The settings for one server, in addition to ``everywhere``.
    public var origins: [Origin: Set<Setting>] = [:]

    /// A policy without any setting.
    public init() {}

    /// A policy for some servers.
    ///
    /// - Parameters:
    ///   - settings: the settings
    ///   - origins: the servers; empty: all
    public init(_ settings: Set<Setting>, for origins: [Origin] = []) {
        if origins.isEmpty { everywhere = settings }
        for origin in origins { self.origins[origin] = settings }
    }

    /// Whether only the URL decides.
    public var isEmpty: Bool { everywhere.isEmpty && origins.values.allSatisfy(\.isEmpty) }

    /// The settings for connections to a server. For plain http, settings about certificates are left out.
    public func settings(for origin: Origin) -> Set<Setting> {
        let settings = everywhere.union(origins[origin] ?? [])
        return origin.scheme == .https ? settings : settings.subtracting([.pinnedKeys, .authorities])
    }

    /// Whether another program must not connect to a server by itself. A setting for every server counts for all of
    /// them, plain http included: pages lead from one to the other.
    package func restricts(_ origin: Origin) -> Bool { !everywhere.isEmpty || !settings(for: origin).isEmpty }

    /// Adds the settings of another policy.
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
