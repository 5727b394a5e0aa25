public import HTTPTypes

/// A credential that answers challenges of one protection space, such as a user name with a password.
///
/// It computes its `Authorization` value anew for each exchange; the value is attached to that exchange only.
public protocol Credential: Sendable, CustomStringConvertible {
    /// Whether both prove the same identity with the same secret. Recognises an answer that was already refused.
    func hasSameSecret(as other: any Credential) -> Bool

    /// The same secret for another challenge of the same space, such as with a new nonce; nil if it does not fit.
    func answering(_ challenge: AuthenticationChallenge) -> (any Credential)?

    /// Whether requests for `target` may carry it before a challenge (RFC 7617 §2.2, RFC 7616 §3.3, rule S10). Not
    /// called for a proxy's credential: every request through the proxy may carry it.
    func covers(_ target: TargetURL) -> Bool

    /// Whether its provider allows the destination. Called before every exchange that would carry it, even if the realm
    /// was answered before (security rules S7 and S13). Default: true.
    func isAllowed(to destination: CredentialDestination) -> Bool

    /// The value of `Authorization` for one exchange, or of `Proxy-Authorization` if a proxy has asked: its
    /// ``ConversationRequest/requestTarget`` is the target as the recipient reads it.
    func authorization(for request: ConversationRequest) async throws -> String

    /// Receives the response to an exchange that carried it. Digest reads `Authentication-Info` or
    /// `Proxy-Authentication-Info` here.
    func received(_ response: HTTPResponse)

    /// Checks the server's proof in the response to an exchange that carried it, before anybody gets the response. Not
    /// called for another challenge of its space, nor for a proxy's credential. Default: there is nothing to check.
    ///
    /// - Throws: any error; the conversation fails with `.authenticationFailed`, with it as the underlying error
    func verify(_ response: HTTPResponse) async throws

    /// Whether a challenge is a further message of the same login, as with Negotiate, instead of a refusal. The filter
    /// that made this credential is asked for the next one. The login starts over first, on a connection that no other
    /// conversation uses, because the server may know its first message by the connection only. Not called for a
    /// proxy's credential. Default: false.
    func isContinued(by challenge: OfferedChallenge) -> Bool

    /// Whether an accepted credential serves one exchange only: the server challenges the next exchange again, and the
    /// filter is asked for another credential. Default: false.
    var servesOneExchange: Bool { get }
}

extension Credential {
    public func received(_ response: HTTPResponse) {}
    public func isAllowed(to destination: CredentialDestination) -> Bool { true }
    public func verify(_ response: HTTPResponse) async throws {}
    public func isContinued(by challenge: OfferedChallenge) -> Bool { false }
    public var servesOneExchange: Bool { false }
}

/// A credential whose `Authorization` is the same for all requests, so that it is made and checked once. A server
/// proves nothing by its answer: `verify` is not called.
package protocol ConstantCredential: Credential {
    /// The field for a server that asks.
    var authorization: Redacted<HTTPField> { get }
}
