import HttpConvCertificates
import HttpConversation
import NIOCore
import NIOSSL

/// The failure of a signature by a client's key. NIOSSL reports it beside the handshake's own.
struct SignatureFailure: Error {
    let cause: any Error
}

/// Finds out whether a connection failed because the client's certificate was refused or missing.
enum ClientCertificateFailure {
    /// The alerts that a server sends about a certificate (RFC 8446 §6.2), as BoringSSL names them, with their meaning.
    private static let alerts = [
        ("ALERT_CERTIFICATE_REQUIRED", "it demands one"), ("ALERT_BAD_CERTIFICATE", "it is damaged or not acceptable"),
        ("ALERT_UNSUPPORTED_CERTIFICATE", "it is of a kind that the server does not take"),
        ("ALERT_CERTIFICATE_REVOKED", "it has been revoked"), ("ALERT_CERTIFICATE_EXPIRED", "it has expired"),
        ("ALERT_CERTIFICATE_UNKNOWN", "it is not acceptable"),
        ("ALERT_UNKNOWN_CA", "the server does not know the authority that issued it"),
        ("ALERT_ACCESS_DENIED", "it may not come in"), ("ALERT_DECRYPT_ERROR", "its signature is not accepted"),
    ]
    /// An alert that is about the certificate only if the server had asked for one before.
    private static let handshakeFailure = "ALERT_HANDSHAKE_FAILURE"

    /// - Parameter unused: the TLS version of a connection whose handshake is done, and that has brought no byte of a
    ///   response yet; nil for any other connection
    /// - Returns: nil if the failure is about something else
    static func classify(
        _ error: (any Error)?, _ key: PoolKey, unused: TLSVersion?
    ) -> ConversationError? {
        guard key.origin.scheme == .https else { return nil }
        if let failure = error as? SignatureFailure {
            let reason = (failure.cause as? CertificateError).map { " \($0.message)" } ?? ""
            return ConversationError(
                .clientCertificateUnusable,
                "The key of the client certificate could not sign the handshake with \(TransportFailure.name(key.origin)).\(reason)",
                underlyingError: failure.cause)
        }
        let isAnswered = key.identity?.isAnswered ?? false
        let identity = key.identity?.answeredIdentity
        let text = error.map { "\($0)" } ?? ""
        if let failure = LateClientCertificate.failure(text, key, error) { return failure }
        if let alert = alerts.first(where: { text.contains($0.0) }) {
            return identity.map { refused($0, alert.1, key, error) } ?? required(key, error)
        }
        guard isAnswered else { return nil }
        if text.contains(handshakeFailure) {
            return identity.map { refused($0, "the server does not say why", key, error) } ?? required(key, error)
        }
        // A TLS 1.3 server says after the handshake that it demands a certificate. A reset may overtake that alert
        // (RFC 9112 §9.6).
        guard unused == .tlsv13, identity == nil, error is IOError else { return nil }
        return ConversationError(
            .clientCertificateRequired,
            "\(TransportFailure.name(key.origin)) asked for a client certificate, got none, and reset the connection: it may demand one.",
            underlyingError: error)
    }

    /// A further sentence about a connection that ended without an answer; empty if its server got what it asked for.
    static func advice(_ key: PoolKey) -> String {
        guard let source = key.identity, source.isAnswered, source.answeredIdentity == nil else { return "" }
        return " It had asked for a client certificate, and got none: it may demand one."
    }

    private static func required(_ key: PoolKey, _ error: (any Error)?) -> ConversationError {
        ConversationError(
            .clientCertificateRequired,
            "\(TransportFailure.name(key.origin)) demands a client certificate, and there is none for it.",
            underlyingError: error)
    }

    private static func refused(
        _ identity: ClientIdentity, _ reason: String, _ key: PoolKey, _ error: (any Error)?
    ) -> ConversationError {
        ConversationError(
            .clientCertificateRefused,
            "\(TransportFailure.name(key.origin)) does not accept the client certificate (\(identity.summary)): \(reason).",
            underlyingError: error)
    }
}
