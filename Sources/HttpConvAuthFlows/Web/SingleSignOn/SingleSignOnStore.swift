package import HttpConvConcurrency
public import HttpConversation
import Synchronization

/// The sessions at identity providers, so that the next login there asks no question (security rule S33).
///
/// Separate from the session's cookies: conversations never send its cookies, only login views get them, and only for
/// the origins of a ``SingleSignOnPolicy``. Sessions of the same person may share a store.
public final class SingleSignOnStore: Sendable {
    let storage: any SingleSignOnStorage
    private let clock: any WallClock

    /// Creates a store.
    ///
    /// - Parameter storage: keeps the sessions; by default in memory
    public convenience init(storage: any SingleSignOnStorage = InMemorySingleSignOnStorage()) {
        self.init(storage: storage, clock: SystemClock())
    }

    /// Creates a store with another clock; for tests.
    package init(storage: any SingleSignOnStorage, clock: any WallClock) {
        self.storage = storage
        self.clock = clock
    }

    /// Forgets all sessions. At the identity providers they end by themselves.
    ///
    /// - Throws: the error of the storage; the one in memory has none
    public func removeAll() async throws { try await storage.change { $0 = SingleSignOnSessions() } }

    /// The origins whose session the next login would use, in order.
    ///
    /// - Throws: the error of the storage; the one in memory has none
    public func origins(for policy: SingleSignOnPolicy) async throws -> [Origin] {
        try await view(policy).cookies.keys.sorted { $0.description < $1.description }
    }

    /// The sessions that a login may use now.
    func view(_ policy: SingleSignOnPolicy) async throws -> SingleSignOnView {
        let (sessions, now) = (try await storage.sessions(), clock.date)
        let origins = policy.origins.union(sessions.confirmed)
        return SingleSignOnView(
            named: policy.origins, origins: origins,
            cookies: origins.reduce(into: [:]) { result, origin in
                let cookies = sessions.cookies(at: origin, maximumAge: policy.maximumAge, now: now)
                result[origin] = cookies.isEmpty ? nil : cookies
            })
    }

    /// Keeps the sessions of a login that succeeded.
    func keep(_ outcome: WebLoginOutcome, of login: WebLogin) async throws {
        guard let view = login.singleSignOn else { return }
        let kept = login.sessionsToKeep(of: outcome)
        guard !kept.isEmpty else { return }
        let confirmed = outcome.confirmedOrigins.subtracting(view.named)
        let now = clock.date
        try await storage.change { sessions in
            for (origin, cookies) in kept {
                sessions.keep(cookies, at: origin, isConfirmed: confirmed.contains(origin), now: now)
            }
        }
    }

    /// Forgets the sessions of some origins.
    func remove(_ origins: Set<Origin>) async throws { try await storage.change { $0.remove(origins) } }
}

extension HttpSession {
    /// The session's store for single sign-on: in memory, unless another one is set. Sessions of the same person may
    /// share one.
    public var singleSignOn: SingleSignOnStore {
        get { holder.store.withLock { $0 } }
        set { holder.store.withLock { $0 = newValue } }
    }

    private var holder: SessionSingleSignOn { flowState { SessionSingleSignOn() } }
}

/// The store of a session.
private final class SessionSingleSignOn: Sendable {
    let store = Mutex(SingleSignOnStore())
}

/// The sessions at identity providers that a login view gets.
struct SingleSignOnView: Sendable {
    /// The origins that the policy names.
    let named: Set<Origin>
    /// The origins that may have a session: those that are named, and those that the person confirmed.
    let origins: Set<Origin>
    /// The cookies by origin.
    let cookies: [Origin: [Cookie]]
}

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

    /// The origins with a session in a result that is not kept unless the person confirms them, because the policy does
    /// not name them, in order: at most five, over https or on this machine. Empty without single sign-on.
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

    /// Whether a view's cookie is one of a session that was brought, or was changed by the session's own origin, as far
    /// as the view knows: it stays out of the conversation's cookies.
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
    func with(_ view: SingleSignOnView) -> WebLogin {
        var login = self
        login.singleSignOn = view
        return login
    }
}
