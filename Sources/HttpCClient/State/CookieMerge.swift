import HttpC
import HttpConvPlatform

/// Joins the changes of one process with those of others.
enum CookieMerge {
    /// Applies the changes between `before` and `after` to `kept`. A cookie that is not Secure, which may be from http,
    /// replaces and shadows no Secure one of another process (security rule S15).
    static func merge(
        _ kept: CookieStore.Snapshot, before: CookieStore.Snapshot, after: CookieStore.Snapshot
    ) -> CookieStore.Snapshot {
        let old = Set(before.cookies)
        let remaining = Set(after.cookies.map(CookieIdentity.init))
        let secure = kept.cookies.filter { $0.isSecure && !old.contains($0) }
        let changed = after.cookies.filter { cookie in
            !old.contains(cookie) && (cookie.isSecure || isAccepted(cookie, beside: secure))
        }
        let replaced = Set(changed.map(CookieIdentity.init))
        let deleted = Set(before.cookies.map(CookieIdentity.init)).subtracting(remaining)
        let others = kept.cookies.filter {
            !replaced.contains(CookieIdentity($0)) && !deleted.contains(CookieIdentity($0))
        }
        let now = Date()
        return .init(cookies: (others + changed).filter { $0.expires.map { $0 > now } ?? true })
    }

    /// Whether a session would take a cookie from http.
    private static func isAccepted(_ cookie: Cookie, beside secure: [Cookie]) -> Bool {
        guard !secure.isEmpty else { return true }
        let store = CookieStore(.init(cookies: secure))
        HttpSession(cookies: store).handOver([cookie], from: [])
        return store.snapshot.cookies.contains { !$0.isSecure }
    }
}
