import HttpConversation
import NIOSSL

/// Sorts BoringSSL's errors: certificate problems and all others.
enum TLSFailure {
    static func classify(_ error: any Error, _ origin: Origin) -> ConversationError {
        let text = "\(error)"
        let peer = TransportFailure.name(origin)
        if let extra = error as? NIOSSLExtraError,
            extra == .failedToValidateHostname || extra == .serverHostnameImpossibleToMatch
        {
            return untrusted(
                "The certificate of \(peer) is for another name than \"\(origin.host)\": use a name that it lists, or have it reissued.",
                error)
        }
        if let plain = error as? NIOSSLError, plain == .unableToValidateCertificate || plain == .noCertificateToValidate
        {
            return untrusted(
                "The certificate of \(peer) is not for \"\(origin.host)\": use a name that it lists, or have it reissued.",
                error)
        }
        if text.contains("CERTIFICATE_VERIFY_FAILED") { return untrusted(chain(peer), error) }
        if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
            return failed("\(peer) does not speak TLS on this port: is it an http URL?", error)
        }
        return failed(
            "The TLS handshake with \(peer) failed: it may not speak TLS on this port, or refuse this client.", error)
    }

    /// Whether BoringSSL or the comparison of names refused a server, rather than a filter.
    static func isRefusal(_ error: ConversationError) -> Bool {
        error.underlyingError is NIOSSLError || error.underlyingError is NIOSSLExtraError
            || error.underlyingError is BoringSSLError
    }

    private static func chain(_ peer: String) -> String {
        "The certificate of \(peer) is not trusted: it has expired, is not valid yet, or comes from an issuer that is not among the trusted roots. Add the issuer's certificate to the trust roots, or have the server's renewed."
    }

    private static func untrusted(_ message: String, _ error: any Error) -> ConversationError {
        ConversationError(.certificateNotTrusted, message, underlyingError: error)
    }

    private static func failed(_ message: String, _ error: any Error) -> ConversationError {
        ConversationError(.tlsFailed, message, underlyingError: error)
    }
}
