import NIOSSL

/// What connections of one pool key have in common for TLS.
struct TLSClient: Sendable {
    let context: NIOSSLContext
    /// Answers servers that want a certificate; nil: there is none.
    var questions: HandshakeQuestions?
    /// Verifies servers where filters have a say about them.
    var verifier: ServerVerifier?
}
