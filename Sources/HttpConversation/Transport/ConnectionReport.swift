/// A transport's information about an exchange's connection. It holds no secret; its texts come from the peer's
/// certificate.
///
/// A class: a connection has one, and shares it with all of its exchanges.
public final class ConnectionReport: Sendable, Equatable {
    /// The number of the connection, unique in its transport.
    public let number: Int
    /// The address and port of the socket's peer: the server's, or the proxy's if there is one.
    public let peer: String?
    /// The version of TLS with the server, such as `TLS 1.3`; nil without TLS.
    public let tlsVersion: String?
    /// The server's certificate.
    public let certificate: CertificateSummary?
    /// The hash of the server's certificate that binds a login to it (`tls-server-end-point`, RFC 5929 §4.1); nil
    /// without TLS, or if it is not defined for the kind of certificate.
    public let serverEndPoint: [UInt8]?
    /// The time until bytes could be sent: name resolution, TCP and the proxy's tunnel if there is one.
    public let connectTime: Duration?
    /// The time of the TLS handshake after that, including questions for a person.
    public let tlsTime: Duration?

    /// Creates a report.
    public init(
        number: Int, peer: String? = nil, tlsVersion: String? = nil, certificate: CertificateSummary? = nil,
        serverEndPoint: [UInt8]? = nil, connectTime: Duration? = nil, tlsTime: Duration? = nil
    ) {
        self.number = number
        self.peer = peer
        self.tlsVersion = tlsVersion
        self.certificate = certificate
        self.serverEndPoint = serverEndPoint
        self.connectTime = connectTime
        self.tlsTime = tlsTime
    }

    /// Whether both reports are about the same connection.
    public static func == (one: ConnectionReport, other: ConnectionReport) -> Bool { one === other }
}
