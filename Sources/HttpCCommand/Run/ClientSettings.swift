import HttpC
import HttpConversationNIO

/// The settings of connections: trusted servers, the way to them, and the client certificate. Every command has options for them.
struct ClientSettings: Sendable {
    /// -k: no server's certificate is checked.
    var isInsecure = false
    /// The file of --cacert.
    var caCertificate: String?
    /// The directory of --capath.
    var caDirectory: String?
    /// The file of --proxy-cacert.
    var proxyCACertificate: String?
    /// The keys of --pinnedpubkey.
    var pins: PublicKeyPinFilter?
    var connectTimeout: Duration?
    var newestVersion = ProtocolVersion.http2
    var addressFamily: NIOTransport.AddressFamily?
    /// The addresses of --resolve.
    var addresses = NIOTransport.Addresses()
    var unixSocket: String?
    /// The text of --proxy; empty for no proxy, whatever the environment says.
    var proxy: String?
    var proxyUser: UserArgument?
    /// The text of --noproxy.
    var proxyBypass: String?
    /// The file of --cert.
    var certificate: CertificateFile?
    /// Further servers that may get the certificate.
    var certificateOrigins: Set<Origin> = []
}
