/// The protocols that are offered in the TLS handshake (RFC 7301). Without TLS it is HTTP/1.1.
enum ApplicationProtocols: Hashable, Sendable {
    case http1
    /// HTTP/2 if the server speaks it, else HTTP/1.1.
    case http2OrHTTP1

    var names: [String] { self == .http1 ? ["http/1.1"] : ["h2", "http/1.1"] }
}
