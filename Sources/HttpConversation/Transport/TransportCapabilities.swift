/// What a transport can do beyond plain exchanges; checked when a manager's filters need it.
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
}
