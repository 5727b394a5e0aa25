import NIOSSL

/// The TLS parts that connections of one pool key share.
struct TLSClient: Sendable {
    let context: NIOSSLContext
    /// Answers servers that ask for a client certificate; nil: there is none.
    var questions: HandshakeQuestions?
    /// Explains refusals. Set only for connections that read a refused server's certificates.
    var explanation: TrustExplanation?
}
