import HttpConvAuthFlows
import HttpConversation

/// The answer to a ``WebKitChallenge``.
enum WebKitAnswer: Sendable {
    /// The system decides.
    case byDefault
    /// The next method is tried, and without one the page of the 401 is shown.
    case rejected
    /// The connection is not used.
    case cancelled
    case password(UsernamePassword)
    case identity(ClientIdentity)
    /// The handshake goes on without a client certificate.
    case noIdentity
    /// The server is trusted.
    case trusted
}
