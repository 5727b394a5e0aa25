/// What a transport knows of the connection that an exchange ran over. Nothing in it is secret; what is text comes from
/// the peer's certificate.
///
/// A class: a connection has one, and hands it to each of its exchanges.
public final class ConnectionReport: Sendable {
    /// Tells the connections of one transport apart.
    public let number: Int
    /// The address and port at the other end of the socket: the server's, or the proxy's where there is one.
    public let peer: String?
    /// The version of TLS with the server, such as `TLS 1.3`; nil where there is none.
    public let tlsVersion: String?
    /// The server's certificate.
    public let certificate: CertificateSummary?
    /// How long it took until bytes could be sent: name, TCP and where there is a proxy its tunnel.
    public let connectTime: Duration?
    /// How long the TLS handshake took after that, with what people were asked meanwhile.
    public let tlsTime: Duration?

    /// Says what is known.
    public init(
        number: Int, peer: String? = nil, tlsVersion: String? = nil, certificate: CertificateSummary? = nil,
        connectTime: Duration? = nil, tlsTime: Duration? = nil
    ) {
        self.number = number
        self.peer = peer
        self.tlsVersion = tlsVersion
        self.certificate = certificate
        self.connectTime = connectTime
        self.tlsTime = tlsTime
    }
}
