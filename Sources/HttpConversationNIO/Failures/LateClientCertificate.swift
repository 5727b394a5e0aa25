import HTTPTypes
import HttpConvFormats
import HttpConversation

/// Client certificates that a server asks for after it has seen a request, because its path demands one.
///
/// TLS 1.2 uses renegotiation for that. TLS 1.3 has post-handshake authentication (RFC 8446 §4.6.2), which BoringSSL's
/// client lacks: Apache httpd answers with 403 and a page that says so. HTTP/2 forbids both (RFC 9113 §9.2.1), and the
/// server asks for HTTP/1.1. So such a request is retried over HTTP/1.1 and TLS 1.2, on separate connections. Only
/// there may a server begin another handshake, once per connection. It cannot change its own certificate in it.
enum LateClientCertificate {
    /// Whether a connection ended because its server began another handshake.
    static func isAskedFor(_ error: any Error) -> Bool { "\(error)".contains("NO_RENEGOTIATION") }

    // MARK: Apache's answer under TLS 1.3

    private static let sentence = "Cannot perform Post-Handshake Authentication"
    private static let maximumPage = 2048
    private static let maximumWait = Duration.seconds(2)

    /// Whether a response may say that its server would have to ask for a certificate, but cannot.
    static func mayBeWanted(by response: TransportResponse, to request: WireRequest) -> Bool {
        request.key.identity != nil && !request.key.renegotiates && request.isReplayable
            && response.head.status == .forbidden
            && response.head.headerFields[.contentType]?.mediaType == "text/html"
    }

    /// Whether the response's page says so.
    static func isWanted(by response: TransportResponse) async -> Bool {
        let page = try? await response.body.prefetch(
            upTo: maximumPage, within: maximumWait, clock: ContinuousClock())
        guard let page else { return false }
        return String(decoding: page.prefix(maximumPage), as: UTF8.self).contains(sentence)
    }

    /// The error for a renegotiating connection that was refused or broke. Returns nil if the failure is about
    /// something else.
    static func failure(_ text: String, _ key: PoolKey, _ error: (any Error)?) -> ConversationError? {
        let peer = TransportFailure.name(key.origin)
        if text.contains("NO_RENEGOTIATION") {
            guard key.renegotiates else {
                return ConversationError(
                    .clientCertificateRequired,
                    "\(peer) began another TLS handshake when it saw the request, as servers do that demand a client certificate for some paths, and there is none for it, or the request's body cannot be sent again.",
                    underlyingError: error)
            }
            return ConversationError(
                .tlsFailed, "\(peer) begins one TLS handshake after the other on the same connection.",
                underlyingError: error)
        }
        guard key.renegotiates, text.contains("PROTOCOL_VERSION") else { return nil }
        return ConversationError(
            .clientCertificateRequired,
            "\(peer) demands a client certificate for this path only. Under TLS 1.3 this client can show one at the beginning of a connection alone, and TLS 1.2 the server does not speak: let it ask for certificates in the handshake, or allow TLS 1.2.",
            underlyingError: error)
    }
}
