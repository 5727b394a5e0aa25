public import HttpConversation

/// The result of a web login.
public struct WebLoginOutcome: Sendable {
    /// The URL of the navigation that ended it.
    public let finish: Redacted<String>
    /// The view's cookies; the caller drops those that do not belong to the login.
    public let cookies: [Cookie]
    /// The cookies by the origin that has set them, if the view knows it, for single sign-on; nil: they are taken from
    /// ``cookies`` by their domains.
    public let singleSignOn: [Origin: [Cookie]]?
    /// The origins that the person agreed to during the login, for single sign-on.
    public let confirmedOrigins: Set<Origin>

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - url: the URL as text, of any scheme
    ///   - cookies: the view's cookies
    ///   - singleSignOn: the cookies by the origin that has set them, if the view knows it
    ///   - confirmedOrigins: the origins that the person agreed to during the login
    public init(
        url: some TargetURLConvertible, cookies: [Cookie] = [], singleSignOn: [Origin: [Cookie]]? = nil,
        confirmedOrigins: Set<Origin> = []
    ) {
        finish = Redacted(url.urlText)
        self.cookies = cookies
        self.singleSignOn = singleSignOn
        self.confirmedOrigins = confirmedOrigins
    }

    /// The same result with further origins that the person agreed to.
    public func confirming(_ origins: Set<Origin>) -> WebLoginOutcome {
        WebLoginOutcome(
            url: finish.value, cookies: cookies, singleSignOn: singleSignOn,
            confirmedOrigins: confirmedOrigins.union(origins))
    }

    /// The same result without some of the view's cookies.
    func without(_ isExcluded: (Cookie) -> Bool) -> WebLoginOutcome {
        WebLoginOutcome(
            url: finish.value, cookies: cookies.filter { !isExcluded($0) }, singleSignOn: singleSignOn,
            confirmedOrigins: confirmedOrigins)
    }
}
