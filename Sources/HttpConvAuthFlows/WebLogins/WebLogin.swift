public import HttpConversation

/// A login on web pages: the page to open, and its end.
///
/// A login ends with a navigation to a certain URL (``isFinish(_:)``), or when the resource answers without a challenge
/// (``trial``). Common to logins of all kinds, so that a ``WebLoginStrategy`` can show all of them.
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
    /// Finds out whether the login is done, for a login that ends at no certain URL; nil: ``isFinish(_:)`` does.
    public let trial: WebLoginTrial?
    /// The sessions at identity providers; nil without single sign-on.
    var singleSignOn: UsableSessions?
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
        trial = nil
    }

    /// Creates a login that ends when the resource answers without a challenge. The session gets the view's cookies of
    /// the origins concerned.
    ///
    /// - Parameters:
    ///   - purpose: the purpose of the login
    ///   - start: the first page
    ///   - cookieTargets: URLs whose origins' cookies the view gets and gives
    ///   - trial: sends the pending request
    public init(_ purpose: Purpose, start: TargetURL, cookieTargets: [TargetURL], trial: WebLoginTrial) {
        self.purpose = purpose
        self.start = start
        self.cookieTargets = cookieTargets
        returnsCookies = true
        authenticator = nil
        finish = { _ in false }
        self.trial = trial
    }

    /// Whether a navigation of the main frame to this URL ends the login. Call it before the request is sent; the
    /// request need not be sent.
    public func isFinish(_ url: String) -> Bool { finish(url) }

    /// The cookies for a view with one cookie store: the session's, and those of identity providers' sessions.
    public func cookiesToBring(from store: CookieStore) -> [Cookie] {
        ownCookies(from: store) + singleSignOnCookies
    }

    /// The session's cookies for the view.
    package func ownCookies(from store: CookieStore) -> [Cookie] { concerned(store.snapshot.cookies) }

    /// The view's cookies for this login; cookies of other origins stay in the view (security rule S17).
    ///
    /// Cookies of any path: conversations for other paths of the same servers wait for the same login.
    public func cookiesToKeep(of cookies: [Cookie]) -> [Cookie] { returnsCookies ? concerned(cookies) : [] }

    /// Whether a strategy's result is the end of the login.
    func isDone(_ outcome: WebLoginOutcome) -> Bool { trial?.hasSucceeded ?? finish(outcome.finish.value) }

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
