public import HttpConvPlatform

/// Cookies that several processes keep in one place.
extension CookieStore.Snapshot {
    /// Applies what one process has changed to cookies that others may have changed meanwhile.
    ///
    /// A cookie that this process has removed goes only if it still has the value that this process knew. A cookie that
    /// is not Secure may be from http: it replaces and shadows no Secure one that this process did not know (RFC
    /// 6265bis §5.7; security rule S15). Expired cookies go.
    ///
    /// - Parameters:
    ///   - before: the cookies as this process knew them when it began
    ///   - after: its cookies now
    ///   - date: the time now
    public mutating func apply(changesFrom before: Self, to after: Self, at date: Date = Date()) {
        let old = Set(before.cookies)
        let unknownSecure = cookies.filter { $0.isSecure && !$0.hasExpired(at: date) && !old.contains($0) }
        let changed = after.cookies.filter { cookie in
            !old.contains(cookie) && (cookie.isSecure || !unknownSecure.contains { cookie.wouldShadow($0) })
        }
        let replaced = Set(changed.map(CookieIdentity.init))
        let remaining = Set(after.cookies.map(CookieIdentity.init))
        let removed = Dictionary(
            before.cookies.map { (CookieIdentity($0), $0) }.filter { !remaining.contains($0.0) }
        ) { $1 }
        cookies.removeAll { cookie in
            let identity = CookieIdentity(cookie)
            return replaced.contains(identity) || removed[identity].map { $0.isSame(as: cookie) } ?? false
        }
        cookies += changed
        cookies.removeAll { $0.hasExpired(at: date) }
    }

    /// The same without the cookies that have expired.
    package var unexpired: Self {
        let date = Date()
        return Self(cookies: cookies.filter { !$0.hasExpired(at: date) })
    }
}

extension Cookie {
    /// Whether this cookie, set from http, would replace or shadow a Secure one of the same name (RFC 6265bis §5.7).
    func wouldShadow(_ secure: Cookie) -> Bool {
        secure.isSecure && secure.name == name && CookieDomain.areRelated(secure.domain, domain)
            && CookiePath.matches(path, secure.path)
    }

    /// Whether two cookies differ in nothing but the time when they were first stored.
    package func isSame(as other: Cookie) -> Bool { created(at: other.created) == other }
}
