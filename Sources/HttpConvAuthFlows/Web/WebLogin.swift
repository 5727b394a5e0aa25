public import HttpConversation

/// A login that a person does on web pages: what to open, and which navigation is its end.
///
/// What SAML2, OAuth2 and one-time-code logins have in common, so that a ``WebLoginStrategy`` shows them all alike.
public struct WebLogin: Sendable {
    /// What the login is for.
    public struct Purpose: Hashable, Sendable, CustomStringConvertible {
        /// The name as people know it.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// Web single sign-on of SAML2.
        public static let saml2 = Purpose("SAML2")
        /// An authorization code of OAuth2.
        public static let oauth2 = Purpose("OAuth2")
        /// A one-time code as the second factor.
        public static let otp = Purpose("OTP")
    }

    /// What the login is for.
    public let purpose: Purpose
    /// The page to open first. Its query may be secret: not for logs.
    public let start: TargetURL
    /// The session's cookies for the origins of these URLs go into the view (security rule S17).
    public let cookieTargets: [TargetURL]
    /// Whether the view's cookies for the origins of ``cookieTargets`` come back; otherwise none do.
    public let returnsCookies: Bool
    /// The application that makes the codes, for one-time-code forms.
    public let authenticator: CodeAuthenticator?
    private let finish: @Sendable (String) -> Bool

    /// Describes a login.
    ///
    /// - Parameters:
    ///   - purpose: what the login is for
    ///   - start: the first page
    ///   - cookieTargets: whose origins' cookies the view gets
    ///   - returnsCookies: whether the view's cookies of these origins come back
    ///   - authenticator: the application that makes the codes, for one-time-code forms
    ///   - isFinish: given a URL as text, which may have any scheme; says whether going there is the end
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

    /// Whether a navigation of the main frame to this URL is the end of the login. It is seen before it is sent, and
    /// need not be sent.
    public func isFinish(_ url: String) -> Bool { finish(url) }

    /// What the session has for the view.
    public func cookiesToBring(from store: CookieStore) -> [Cookie] { concerned(store.snapshot.cookies) }

    /// The cookies of a view that are for this login; what it has of other origins stays behind (security rule S17).
    ///
    /// Of any path: conversations for other paths of the same servers wait for the same login.
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
