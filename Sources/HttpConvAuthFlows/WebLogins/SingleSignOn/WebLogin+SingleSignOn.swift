public import HttpConversation

extension WebLogin {
    /// The origins whose sessions are taken over; empty without single sign-on. The login's own servers are left out if
    /// the session gets their cookies.
    private func origins(alsoConfirmed confirmed: Set<Origin> = []) -> Set<Origin> {
        guard let singleSignOn else { return [] }
        let all = singleSignOn.origins.union(confirmed)
        return returnsCookies ? all.subtracting(cookieTargets.map(\.origin)) : all
    }

    /// Whether cookies of the view may be kept for later logins: then ``WebLoginOutcome/singleSignOn`` is of use.
    public var hasSingleSignOn: Bool { singleSignOn != nil }

    /// The cookies of an identity provider's session, for requests to exactly this origin. For views that can keep
    /// them apart; others use ``cookiesToBring(from:)``.
    public func singleSignOnCookies(for origin: Origin) -> [Cookie] {
        origins().contains(origin) ? singleSignOn?.cookies[origin] ?? [] : []
    }

    /// The cookies of all sessions, for a view with one cookie store.
    ///
    /// Such a view sends cookies to every port of their host. So it gets no cookies for a host on which the login has a
    /// server of its own that the policy does not name.
    var singleSignOnCookies: [Cookie] {
        guard let singleSignOn else { return [] }
        let others = Set(cookieTargets.map(\.origin)).subtracting(singleSignOn.named).map(\.host)
        return origins().filter { !others.contains($0.host) }.flatMap { singleSignOnCookies(for: $0) }
    }

    /// The origins that brought a session.
    var originsWithSession: Set<Origin> { origins().filter { !singleSignOnCookies(for: $0).isEmpty } }

    /// The sessions in the cookies of a view with one cookie store, by origin, without cookies of other origins.
    ///
    /// - Parameters:
    ///   - cookies: the view's cookies
    ///   - shown: the origins of pages that the person may still confirm (``sessionsToConfirm(of:)``)
    ///   - isSet: whether a cookie was set by an origin, as far as the view knows
    public func cookiesForSingleSignOn(
        of cookies: [Cookie], alsoAt shown: Set<Origin> = [], isSet: (Cookie, Origin) -> Bool = { _, _ in true }
    ) -> [Origin: [Cookie]] {
        sessions(at: origins(alsoConfirmed: shown), in: cookies, isSet: isSet)
    }

    /// The origins, in order, whose sessions are kept only if the person confirms them, because the policy does not
    /// name them: at most five, over https or on this machine. Empty without single sign-on.
    public func sessionsToConfirm(of outcome: WebLoginOutcome) -> [Origin] {
        let known = origins().union(outcome.confirmedOrigins)
        let own = Set(cookieTargets.map(\.origin))
        let found = (outcome.singleSignOn ?? [:]).filter { origin, cookies in
            !cookies.isEmpty && !known.contains(origin) && !own.contains(origin) && origin.isSecure
        }
        return hasSingleSignOn ? Array(found.keys.sorted { $0.description < $1.description }.prefix(5)) : []
    }

    private func sessions(
        at origins: Set<Origin>, in cookies: [Cookie], isSet: (Cookie, Origin) -> Bool
    ) -> [Origin: [Cookie]] {
        origins.reduce(into: [:]) { result, origin in
            let brought = singleSignOnCookies(for: origin)
            result[origin] = cookies.filter { cookie in
                cookie.domain == origin.host
                    && (brought.contains { $0.hasSameContent(as: cookie) } || isSet(cookie, origin))
            }
        }
    }

    func sessionsToKeep(of outcome: WebLoginOutcome) -> [Origin: [Cookie]] {
        let allowed = origins(alsoConfirmed: outcome.confirmedOrigins.filter(\.isSecure))
        guard let found = outcome.singleSignOn else {
            return sessions(at: allowed, in: outcome.cookies) { _, _ in true }
        }
        return found.filter { allowed.contains($0.key) }
    }

    /// Whether a view's cookie belongs to a session at an identity provider: the login brought it into the view, or the
    /// session's own origin has changed it, as far as the view knows. Such a cookie does not join the conversation's
    /// cookies.
    func isOfSingleSignOn(_ cookie: Cookie, in outcome: WebLoginOutcome) -> Bool {
        if singleSignOnCookies.contains(where: { $0.domain == cookie.domain && $0.hasSameContent(as: cookie) }) {
            return true
        }
        return (outcome.singleSignOn ?? [:]).contains { origin, cookies in
            cookies.contains(cookie) && isOfSession(cookie, at: origin)
        }
    }

    /// Whether a cookie that this origin has set is one of the session that it gets, with any value, and with or
    /// without a `Domain` attribute, which is not kept.
    package func isOfSession(_ cookie: Cookie, at origin: Origin) -> Bool {
        singleSignOnCookies(for: origin).contains {
            $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path
        }
    }

    /// The same login with sessions.
    func with(_ sessions: UsableSessions) -> WebLogin {
        var login = self
        login.singleSignOn = sessions
        return login
    }
}
