import HttpConversation

/// A question about a connection, in plain values: a `URLAuthenticationChallenge`.
struct WebKitChallenge: Sendable {
    /// The method of the protection space, as far as a login knows it.
    enum Method: Sendable {
        case basic, digest, clientCertificate, serverTrust
        /// NTLM, Negotiate and others.
        case other
    }

    let method: Method
    let host: String
    /// The port; 0: the scheme's.
    let port: Int
    /// The protocol of the space, such as `https`.
    let scheme: String?
    let realm: String?
    let isProxy: Bool
    /// The number of passwords that were refused for the same request.
    var previousFailures = 0
    /// Judges the server's certificate by the system's roots and these authorities, in DER.
    var judge: @MainActor @Sendable (_ authorities: [[UInt8]]) async -> ServerTrust? = { _ in nil }

    /// The server or proxy that asks.
    var origin: Origin? {
        let isTLS = method == .clientCertificate || method == .serverTrust
        // A proxy's space has no protocol.
        return Self.origin(scheme: isTLS ? "https" : scheme ?? "http", host: host, port: port)
    }

    /// An origin by its parts.
    ///
    /// - Parameter port: the port; 0: the scheme's
    static func origin(scheme: String?, host: String, port: Int) -> Origin? {
        let isSecure = scheme?.lowercased() == "https"
        guard isSecure || scheme?.lowercased() == "http" else { return nil }
        return try? Origin(
            scheme: isSecure ? .https : .http, host: host, port: port == 0 ? (isSecure ? 443 : 80) : port)
    }
}
