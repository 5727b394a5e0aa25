import HttpConvFormats

/// A value of `Host` (over HTTP/2 `:authority`) that differs from the server's name: for a machine behind a load
/// balancer, or a virtual host without a DNS name yet (RFC 9110 §7.2).
///
/// It is only sent. Connecting, TLS, cookies, credentials, proxies and redirects use the URL (security rule S1).
public struct HostField: Hashable, Sendable {
    /// The value as sent.
    public let value: String

    /// Checks a value: a host with an optional port, in the syntax of RFC 3986 §3.2.2.
    ///
    /// - Throws: ``ConversationError/Code/invalidRequest``
    public init(_ value: String) throws(ConversationError) {
        guard !value.utf8.isEmpty, value.utf8.count <= 512, value.utf8.allSatisfy(Self.isAllowed) else {
            throw ConversationError(
                .invalidRequest,
                "A Host field is a host that may have a port, such as app.example.com:8080: no spaces, no path, no user name, nothing beyond ASCII."
            )
        }
        self.value = value
    }

    /// Unreserved characters, sub-delimiters, percent signs, colons and brackets.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "-._~!$&'()*+,;=%:[]".utf8.contains(byte)
    }
}
