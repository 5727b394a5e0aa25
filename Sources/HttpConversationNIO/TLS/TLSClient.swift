import NIOSSL

/// What connections of one pool key have in common for TLS.
struct TLSClient: Sendable {
    let context: NIOSSLContext
    /// Answers servers that want a certificate; nil: there is none.
    var questions: HandshakeQuestions?
    /// Explains refusals; only for connections that look at a refused server's certificates.
    var explanation: TrustExplanation?
}
