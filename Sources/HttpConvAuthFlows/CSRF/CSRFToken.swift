import HttpConversation

/// A token, and the session that it is good in.
struct CSRFToken: Sendable {
    let value: Redacted<String>
    /// The cookies that the service knows the session by, name and value; others mean another session.
    let cookies: [String: Redacted<String>]
    /// Which fetch brought it: a server may give the same token twice.
    let fetch: UInt64

    /// Whether requests to the service would still carry the cookies that the token is bound to.
    func isCurrent(in session: HttpSession, at root: TargetURL) -> Bool { cookies == Self.cookies(of: session, root) }

    /// The cookies that a service gets.
    static func cookies(of session: HttpSession, _ root: TargetURL) -> [String: Redacted<String>] {
        Dictionary(
            session.cookies.cookies(for: root).map { ($0.name, Redacted($0.value)) },
            uniquingKeysWith: { first, _ in first })
    }
}
