public import HttpConversation

/// A login on web pages: the page to open, and the navigation that ends it.
///
/// Common to SAML2, OAuth2 and one-time-code logins, so that a ``WebLoginStrategy`` can show all of them.
public struct WebLogin: Sendable {
    /// The purpose of a login.
    public typealias Purpose = LoginEvent.Purpose

    /// The purpose of the login.
    public let purpose: Purpose
    /// The page to open first. Its query may be secret: do not log it.
    public let start: TargetURL
    /// The view gets the session's cookies for the origins of these URLs (security rule S17).
    public let cookieTargets: [TargetURL]
    /// Whether the session gets the view's cookies for the origins of ``cookieTargets``; otherwise it gets none.
    public let returnsCookies: Bool
    /// The application for codes, for one-time-code forms.
    public let authenticator: CodeAuthenticator?
    private let finish: @Sendable (String) -> Bool

    /// Creates a login.
    ///
    /// - Parameters:
    ///   - purpose: the purpose of the login
    ///   - start: the first page
    ///   - cookieTargets: URLs whose origins' cookies the view gets
    ///   - returnsCookies: whether the session gets the view's cookies of these origins
    ///   - authenticator: the application for codes, for one-time-code forms
    ///   - isFinish: whether a navigation to a URL, given as text with any scheme, ends the login
    public init(
        _ purpose: Purpose, start: TargetURL, cookieTargets: [TargetURL], returnsCookies: Bool,
        authenticator: CodeAuthenticator? = nil, isFinish: @escaping @Sendable (String) -> Bool
    ) {
        self.purpose = purpose
        self.start = start
        self.cookieTargets = cookieTargets
        self.returnsCookies = returnsCookies
        self.authenticator = authenticator
        finish = isFinish
    }

    /// Whether a navigation of the main frame to this URL ends the login. Call it before the request is sent; the
    /// request need not be sent.
    public func isFinish(_ url: String) -> Bool { finish(url) }

    /// The session's cookies for the view.
    public func cookiesToBring(from store: CookieStore) -> [Cookie] { concerned(store.snapshot.cookies) }

    /// The view's cookies for this login; cookies of other origins stay in the view (security rule S17).
    ///
    /// Cookies of any path: conversations for other paths of the same servers wait for the same login.
    public func cookiesToKeep(of cookies: [Cookie]) -> [Cookie] { returnsCookies ? concerned(cookies) : [] }

    private func concerned(_ cookies: [Cookie]) -> [Cookie] {
        let origins = Set(cookieTargets.map(\.origin))
        return cookies.filter { cookie in origins.contains { cookie.concerns($0) } }
    }
}

extension WebLogin: CustomStringConvertible, CustomReflectable {
    /// Purpose and origin.
    public var description: String { "\(purpose) login at \(start.origin)" }
    public var customMirror: Mirror { Mirror(self, children: ["login": description]) }
}
