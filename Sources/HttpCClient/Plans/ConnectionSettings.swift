package import HttpC
package import HttpConversationNIO

/// The settings of connections: trusted servers, the way to them, and the client certificate. Every command has options
/// for them.
package struct ConnectionSettings: Sendable {
    /// -k: no server's certificate is checked.
    package var isInsecure = false
    /// The file of --cacert.
    package var caCertificate: String?
    /// The directory of --capath.
    package var caDirectory: String?
    /// The file of --proxy-cacert.
    package var proxyCACertificate: String?
    /// The keys of --pinnedpubkey.
    package var pins: PublicKeyPinFilter?
    package var connectTimeout: Duration?
    /// The maximum silence of a server, which -m extends. Nil: the command has a limit that no option changes.
    package var silence: Duration?
    package var newestVersion = ProtocolVersion.http2
    package var addressFamily: NIOTransport.AddressFamily?
    /// The addresses of --resolve.
    package var addresses = NIOTransport.Addresses()
    package var unixSocket: String?
    /// The text of --proxy; empty for no proxy, regardless of the environment.
    package var proxy: String?
    package var proxyUser: UserArgument?
    /// The text of --noproxy.
    package var proxyBypass: String?
    /// The file of --cert.
    package var certificate: CertificateFile?
    /// Further servers that may get the certificate.
    package var certificateOrigins: Set<Origin> = []

    package init() {}
}
