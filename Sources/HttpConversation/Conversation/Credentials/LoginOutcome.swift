/// The result of the login in a conversation, by its last response.
///
/// ```swift
/// let response = try await manager.get("https://example.com/report")
/// switch response.login {
/// case .refused: print("The password is wrong.")
/// case .notConfigured, .unanswered: print("Nobody has a login for this server.")
/// case .failed, .accepted, .notAsked: break
/// }
/// ```
/// It covers challenges of servers and proxies (401 and 407) and web logins. A problem with a client certificate is an
/// error with a ``ConversationError/Code`` of its own.
public enum LoginOutcome: String, Hashable, Sendable, CaseIterable {
    /// No login was sent, and the last response asks for none.
    case notAsked
    /// A login was sent or made, and the last response asks for no other one. A missing permission is another matter:
    /// 403.
    case accepted
    /// The server got a login, and asks again: the password is wrong, or the token is not valid there.
    case refused
    /// The server asks for a login that no filter of the manager answers, or does not name the scheme.
    case notConfigured
    /// A filter answers this kind of challenge, but has nothing for this server: no provider serves it or has a
    /// password, or a rule withholds the password, such as the one for Basic over plain http.
    case unanswered
    /// A login was started and failed: ``ConversationError/Code/authenticationFailed``.
    case failed

    /// A sentence for an error message about a response with the status 401 or 407.
    var hint: String? {
        switch self {
        case .notAsked, .accepted, .failed: nil
        case .refused: "It did not accept the login that it got."
        case .notConfigured: "It wants a login that nothing in the manager's configuration answers."
        case .unanswered: "It wants a login, and no provider has one for this server."
        }
    }
}
