/// What an application talks to when it registers.
public enum Communicator: String, Sendable, Hashable, Codable, CaseIterable {
    /// A gateway, without a mobile server: nothing is registered, a login is all.
    case gateway
    /// A mobile server at the address itself.
    case mobileServer
    /// A mobile server behind a relay server, by its farm.
    case relayServer
    /// A mobile server behind a reverse proxy, by its path.
    case reverseProxy
}
