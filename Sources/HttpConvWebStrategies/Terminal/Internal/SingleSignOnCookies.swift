import HttpConvAuthFlows
import HttpConversation
import Synchronization

/// The cookies of a login by the origin that has set them: an identity provider's session is sent to exactly its
/// origin, and only its own answers change it (security rule S33).
final class SingleSignOnCookies: Sendable {
    /// One request, with the session for it.
    struct Visit: Sendable {
        let origin: Origin
        let session: HttpSession
        /// The cookies before the request.
        let before: [Cookie]
    }

    private let login: WebLogin
    private let jars = Mutex<[Origin: [CookieIdentity: Cookie]]>([:])

    init(_ login: WebLogin) { self.login = login }

    /// The cookies by the origin that has set them; nil without single sign-on.
    var cookies: [Origin: [Cookie]]? {
        login.hasSingleSignOn ? jars.withLock { $0.mapValues { Array($0.values) } } : nil
    }

    /// The session for a request: that of the login's pages, with the cookies that the origin gets in addition.
    func visit(_ origin: Origin, _ pages: HttpSession) -> Visit {
        guard login.hasSingleSignOn else { return Visit(origin: origin, session: pages, before: []) }
        let jar = jars.withLock { jars in
            if let jar = jars[origin] { return Array(jar.values) }
            let brought = login.singleSignOnCookies(for: origin)
            jars[origin] = Dictionary(brought.map { (CookieIdentity($0), $0) }) { $1 }
            return brought
        }
        let store = pages.cookies.emptied()
        for cookie in pages.cookies.snapshot.cookies + jar { store.insert(cookie) }
        return Visit(
            origin: origin, session: HttpSession(cookies: store, sharing: pages), before: store.snapshot.cookies)
    }

    /// Takes over the changes that the answer made.
    func end(_ visit: Visit, _ pages: HttpSession) {
        guard login.hasSingleSignOn else { return }
        let after = visit.session.cookies.snapshot.cookies
        let old = Set(visit.before)
        let remaining = Set(after.map(CookieIdentity.init))
        let deleted = visit.before.filter { !remaining.contains(CookieIdentity($0)) }
        for cookie in deleted {
            var ended = cookie
            ended.expires = .distantPast
            pages.cookies.insert(ended)
        }
        let changed = after.filter { !old.contains($0) }
        jars.withLock { jars in
            for cookie in deleted { jars[visit.origin]?[CookieIdentity(cookie)] = nil }
            for cookie in changed {
                // A session that was brought still goes nowhere else when it is renewed.
                let isOfSession = login.isOfSession(cookie, at: visit.origin)
                var own = cookie
                if isOfSession { own.isHostOnly = true }
                jars[visit.origin]?[CookieIdentity(own)] = own
                if !isOfSession { pages.cookies.insert(cookie) }
            }
        }
    }
}
