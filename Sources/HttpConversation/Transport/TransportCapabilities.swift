/// The capabilities of a transport beyond plain exchanges. They are checked against the filters' needs before anything
/// is sent.
public struct TransportCapabilities: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Response bodies arrive in pieces, with back-pressure.
    public static let streamingResponses = TransportCapabilities(rawValue: 1 << 0)
    /// Request bodies are read as they are sent.
    public static let streamingRequests = TransportCapabilities(rawValue: 1 << 1)
    /// Asks for client certificates in the TLS handshake.
    public static let clientCertificates = TransportCapabilities(rawValue: 1 << 2)
    /// Lets filters decide on the server's certificate.
    public static let serverTrust = TransportCapabilities(rawValue: 1 << 3)
    /// Goes through proxies.
    public static let proxies = TransportCapabilities(rawValue: 1 << 4)
    /// Sends another `Host` than the target's on request.
    public static let hostField = TransportCapabilities(rawValue: 1 << 5)
    /// Changes a connection to another protocol, such as WebSocket (RFC 9110 §7.8).
    public static let upgrades = TransportCapabilities(rawValue: 1 << 6)
    /// Keeps the connections of owners apart.
    public static let connectionOwners = TransportCapabilities(rawValue: 1 << 7)
    /// Uses the proxies of the system's settings by itself. Proxies of the process's environment that nobody has chosen
    /// (``ProxySettings/environment``) are left out then, unless it also has ``proxies``.
    public static let systemProxies = TransportCapabilities(rawValue: 1 << 8)
}

extension TransportCapabilities: CustomStringConvertible {
    /// The names, such as `clientCertificates, serverTrust`.
    public var description: String {
        let names: [(TransportCapabilities, String)] = [
            (.streamingResponses, "streamingResponses"), (.streamingRequests, "streamingRequests"),
            (.clientCertificates, "clientCertificates"), (.serverTrust, "serverTrust"), (.proxies, "proxies"),
            (.hostField, "hostField"), (.upgrades, "upgrades"), (.connectionOwners, "connectionOwners"),
            (.systemProxies, "systemProxies"),
        ]
        let known = names.filter { contains($0.0) }.map(\.1)
        return known.isEmpty && !isEmpty ? "unknown capabilities" : known.joined(separator: ", ")
    }
}
