/// The kind of server that an application registers with.
public enum Communicator: String, Sendable, Hashable, Codable, CaseIterable {
    /// A gateway without a mobile server: there is no registration, only a login.
    case gateway
    /// A mobile server at the address itself.
    case mobileServer
    /// A mobile server behind a relay server, found by its farm.
    case relayServer
    /// A mobile server behind a reverse proxy, found by its path.
    case reverseProxy
}
