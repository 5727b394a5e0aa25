import Foundation
import Synchronization

/// The browsers of a server with login pages: their logins, and their open forms with the purposes.
final class BrowserStore<Purpose: Sendable>: Sendable {
    /// A login.
    struct Login: Sendable {
        let user: String
        let date: Date
    }

    private struct Browser {
        var login: Login?
        var forms: [SecretKey: Purpose] = [:]
        var lastUsed: Duration
    }

    private struct State {
        var browsers: [SecretKey: Browser] = [:]
        var consents: [String: Set<String>] = [:]
    }

    private static var capacity: Int { 50_000 }
    private let clock: LandscapeClock
    private let state = Mutex(State())

    init(clock: LandscapeClock) {
        self.clock = clock
    }

    /// The login of the cookie. Using it renews its lifetime.
    func login(_ cookie: String?, lifetime: Duration) -> Login? {
        guard let cookie else { return nil }
        let now = clock.now
        return state.withLock { state in
            let key = SecretKey(cookie)
            guard let browser = state.browsers[key], now - browser.lastUsed <= lifetime else {
                state.browsers[key] = nil
                return nil
            }
            state.browsers[key]?.lastUsed = now
            return browser.login
        }
    }

    /// A token for a form of the browser, and the cookie of a new browser if it has none.
    func open(_ purpose: Purpose, cookie: String?) -> (token: String, newCookie: String?) {
        let token = RandomToken.makeBearer()
        let fresh = RandomToken.makeBearer()
        let now = clock.now
        return state.withLock { state in
            let known = cookie.flatMap { state.browsers[SecretKey($0)] == nil ? nil : $0 }
            if known == nil, state.browsers.count >= Self.capacity { state.browsers = [:] }
            let key = SecretKey(known ?? fresh)
            state.browsers[key, default: Browser(lastUsed: now)].forms[SecretKey(token)] = purpose
            return (token, known == nil ? fresh : nil)
        }
    }

    /// The purpose of a form. Each token works once, and only in the browser that got it.
    func take(_ token: String?, cookie: String?) -> Purpose? {
        guard let token, let cookie else { return nil }
        return state.withLock { $0.browsers[SecretKey(cookie)]?.forms.removeValue(forKey: SecretKey(token)) }
    }

    /// Logs the user in under a new cookie, because an attacker may know the old one.
    func begin(user: String, replacing cookie: String?) -> (cookie: String, login: Login) {
        let fresh = RandomToken.makeBearer()
        let (now, login) = (clock.now, Login(user: user, date: clock.date))
        state.withLock { state in
            let forms = cookie.flatMap { state.browsers.removeValue(forKey: SecretKey($0))?.forms } ?? [:]
            state.browsers[SecretKey(fresh)] = Browser(login: login, forms: forms, lastUsed: now)
        }
        return (fresh, login)
    }

    func hasConsent(of user: String, to client: String, scopes: [String]) -> Bool {
        state.withLock { Set(scopes).isSubset(of: $0.consents["\(client)\n\(user)"] ?? []) }
    }

    func addConsent(of user: String, to client: String, scopes: [String]) {
        state.withLock { $0.consents["\(client)\n\(user)", default: []].formUnion(scopes) }
    }

    /// Forgets a browser.
    func end(_ cookie: String?) {
        guard let cookie else { return }
        state.withLock { $0.browsers[SecretKey(cookie)] = nil }
    }

    /// Ends the logins of a user.
    func end(user: String) {
        state.withLock { state in state.browsers = state.browsers.filter { $0.value.login?.user != user } }
    }

    /// Ends all logins. Consents stay.
    func endAll() {
        state.withLock { $0.browsers = [:] }
    }

    func removeAll() {
        state.withLock { $0 = State() }
    }
}
