import HttpConvPlatform
import Synchronization

/// Cookies that servers, web views, other processes and web logins set.
extension CookieStore {
    /// Stores the cookies that a response of `target` set; invalid cookies are ignored, as the standard requires.
    public func store(setCookie values: [String], from target: TargetURL) {
        store(setCookie: values, from: target, sentUnder: .max)
    }

    /// Stores the cookies of an exchange; cookies that a later login handed over stay unchanged.
    ///
    /// - Parameters:
    ///   - stamp: the epoch of the exchange's cookies
    ///   - sent: the `Cookie` field of the request; a challenge that replaces one of its cookies may be undone
    ///   - fallback: the list to use if the store has none
    package func store(
        setCookie values: [String], from target: TargetURL, sentUnder stamp: UInt64 = .max, sent: String? = nil,
        suffixes fallback: PublicSuffixList? = nil
    ) {
        let date = clock.date
        let cookies = parse(values, from: target, at: date, suffixes: fallback)
        guard !cookies.isEmpty else { return }
        state.withLock { state in
            var replaced: [Cookie] = []
            for cookie in cookies where (state.handedOver[CookieIdentity(cookie)] ?? 0) <= stamp {
                let old = insert(
                    cookie.created(at: state.nextCreation(at: date)),
                    overSecureOrigin: target.origin.scheme == .https, at: date, in: &state
                ).replaced
                if let old, old.value != cookie.value { replaced.append(old) }
            }
            if let sent, !replaced.isEmpty { note(replaced, sentIn: sent, in: &state) }
            changed(&state)
        }
    }

    /// Takes back the cookies that a response of `target` set, if they still have these values. A cookie that the
    /// request carried comes back with its expiry and attributes, unless it has expired; all others are removed.
    ///
    /// Relying parties give each request that needs a login a cookie of its own. If many conversations share a login,
    /// the cookies of all but one would stay, and make later requests larger than servers accept.
    ///
    /// - Parameters:
    ///   - sent: the `Cookie` field of the request
    ///   - own: the `Cookie` field of the caller's own, whose values the store never had
    ///   - fallback: the list to use if the store has none: the one that the cookies were stored with
    package func withdraw(
        setCookie values: [String], from target: TargetURL, sent: String? = nil, own: String? = nil,
        suffixes fallback: PublicSuffixList? = nil
    ) {
        let date = clock.date
        let cookies = parse(values, from: target, at: date, suffixes: fallback)
        guard !cookies.isEmpty else { return }
        let before = CookieHeader.pairs(of: sent ?? "")
        let callers = CookieHeader.pairs(of: own ?? "").map(\.name)
        state.withLock { state in
            for cookie in cookies {
                let identity = CookieIdentity(cookie)
                let present = state.byDomain[cookie.domain]?.first { CookieIdentity($0) == identity }
                guard var stored = present, stored.value == cookie.value else { continue }
                _ = state.take(identity, of: cookie.domain)
                // Two cookies of one name are for several paths, and the field does not say which.
                let earlier = before.filter { $0.name.hasSameBytes(as: cookie.name) }
                guard earlier.count == 1, let value = earlier.first?.value,
                    !callers.contains(where: { $0.hasSameBytes(as: cookie.name) })
                else { continue }
                // It was not replaced if it is still there, for another path or domain.
                let isStillThere = state.byDomain.values.joined().contains {
                    $0.name.hasSameBytes(as: cookie.name) && $0.value == value && $0.concerns(target.origin)
                }
                guard !isStillThere else { continue }
                let replaced = state.replaced[identity]
                if let replaced, replaced.value == value { stored = replaced } else { stored.value = value }
                guard !stored.hasExpired(at: date) else { continue }
                state.byDomain[cookie.domain, default: []].append(stored)
                state.count += 1
            }
            changed(&state)
        }
    }

    private func parse(
        _ values: [String], from target: TargetURL, at date: Date, suffixes fallback: PublicSuffixList?
    ) -> [Cookie] {
        let parser = SetCookieParser(target: target, suffixes: suffixes ?? fallback, now: date)
        // More would only push each other out.
        return values.suffix(Self.maximumPerDomain).compactMap { parser.parse($0) }
    }

    /// Stores a cookie from elsewhere, such as a web view; ignores one that no server could have set.
    public func insert(_ cookie: Cookie) {
        guard let cookie = admitted(cookie) else { return }
        let date = clock.date
        state.withLock { state in
            insert(cookie, overSecureOrigin: true, at: date, in: &state)
            changed(&state)
        }
    }

    /// Stores the cookies that another process has kept. One that is not Secure may be from http, and replaces or
    /// shadows no Secure one.
    package func insert(kept cookies: [Cookie]) {
        let date = clock.date
        let cookies = cookies.compactMap(admitted)
        state.withLock { state in
            for cookie in cookies { insert(cookie, overSecureOrigin: cookie.isSecure, at: date, in: &state) }
            changed(&state)
        }
    }

    /// Stores the cookies of a web login. Exchanges that were sent before do not change these cookies any more.
    ///
    /// - Parameters:
    ///   - targets: URLs of the servers that the login is for; a cookie for none over https was set over http. Nil: all
    ///     cookies count as set over https
    ///   - advance: advances the epoch once the cookies are stored, so that readers of the new epoch see them
    /// - Returns: the epoch of this hand-over; exchanges with a lower one were sent without these cookies
    @discardableResult
    package func handOver(
        _ cookies: [Cookie], from targets: [TargetURL]? = nil, advancing advance: () -> UInt64
    ) -> UInt64 {
        let date = clock.date
        let secure = targets.map { targets in Set(targets.map(\.origin).filter { $0.scheme == .https }) }
        let cookies = cookies.compactMap(admitted)
        return state.withLock { state in
            let stored = cookies.filter { cookie in
                let isOverSecureOrigin = secure.map { $0.contains { cookie.concerns($0) } } ?? true
                return insert(cookie, overSecureOrigin: isOverSecureOrigin, at: date, in: &state).isAllowed
            }
            let stamp = advance()
            // Drop entries of removed cookies: they would pile up over a long session.
            let present = Set(state.byDomain.values.joined().map(CookieIdentity.init))
            state.handedOver = state.handedOver.filter { present.contains($0.key) }
            for cookie in stored { state.handedOver[CookieIdentity(cookie)] = stamp }
            changed(&state)
            return stamp
        }
    }

    /// The epoch of the last hand-over of a cookie for `target`; 0 if there was none.
    package func lastHandOver(for target: TargetURL) -> UInt64 {
        let identities = cookies(for: target).map(CookieIdentity.init)
        return state.withLock { state in identities.compactMap { state.handedOver[$0] }.max() ?? 0 }
    }

    /// - Returns: not allowed if the cookie would replace or shadow a Secure one from http; and the cookie that it
    ///   replaced
    @discardableResult
    private func insert(
        _ cookie: Cookie, overSecureOrigin: Bool, at date: Date, in state: inout State
    ) -> (isAllowed: Bool, replaced: Cookie?) {
        if !overSecureOrigin, shadowsSecure(cookie, at: date, in: state) { return (false, nil) }
        var cookie = cookie
        let identity = CookieIdentity(cookie)
        let old = state.take(identity, of: cookie.domain).flatMap { $0.hasExpired(at: date) ? nil : $0 }
        if let old { cookie = cookie.created(at: old.created) }
        guard !cookie.hasExpired(at: date) else { return (true, old) }
        state.byDomain[cookie.domain, default: []].append(cookie)
        state.count += 1
        evict(in: &state, domain: cookie.domain, at: date, mayEvictSecure: overSecureOrigin)
        return (true, old)
    }

    /// Keeps the cookies that the request carried. Others are from responses to requests that were sent meanwhile.
    private func note(_ replaced: [Cookie], sentIn field: String, in state: inout State) {
        let sent = CookieHeader.pairs(of: field)
        for cookie in replaced
        where sent.contains(where: { $0.name.hasSameBytes(as: cookie.name) && $0.value == cookie.value }) {
            let identity = CookieIdentity(cookie)
            if state.replaced[identity] == nil, state.replaced.count >= Self.maximumPerDomain { state.replaced = [:] }
            state.replaced[identity] = cookie
        }
    }

    /// Whether a cookie from http would replace a Secure one of the same name (RFC 6265bis §5.7).
    private func shadowsSecure(_ cookie: Cookie, at date: Date, in state: State) -> Bool {
        state.byDomain.contains { domain, others in
            CookieDomain.areRelated(domain, cookie.domain)
                && others.contains { cookie.wouldShadow($0) && !$0.hasExpired(at: date) }
        }
    }

    /// Removes expired cookies first, then the oldest. A cookie from http never evicts a Secure one.
    ///
    /// A server may set many cookies in each answer: the other domains are looked at only where the whole store is
    /// full.
    private func evict(in state: inout State, domain: String, at date: Date, mayEvictSecure: Bool) {
        if (state.byDomain[domain]?.count ?? 0) > Self.maximumPerDomain {
            removeExpired(of: domain, at: date, in: &state)
            while (state.byDomain[domain]?.count ?? 0) > Self.maximumPerDomain {
                removeOldest(of: [domain], in: &state, mayEvictSecure: mayEvictSecure)
            }
        }
        guard state.count > Self.maximum else { return }
        for domain in state.byDomain.keys { removeExpired(of: domain, at: date, in: &state) }
        while state.count > Self.maximum {
            removeOldest(of: Array(state.byDomain.keys), in: &state, mayEvictSecure: mayEvictSecure)
        }
    }

    private func removeExpired(of domain: String, at date: Date, in state: inout State) {
        for cookie in state.byDomain[domain] ?? [] where cookie.hasExpired(at: date) {
            _ = state.take(CookieIdentity(cookie), of: domain)
        }
    }

    private func removeOldest(of domains: [String], in state: inout State, mayEvictSecure: Bool) {
        guard let victim = oldest(of: domains, in: state, mayEvictSecure: mayEvictSecure) else { return }
        _ = state.take(CookieIdentity(victim), of: victim.domain)
    }

    /// The oldest cookie that is not Secure, if there is any; else the oldest, or the newest if it is from http.
    private func oldest(of domains: [String], in state: State, mayEvictSecure: Bool) -> Cookie? {
        let cookies = domains.lazy.flatMap { state.byDomain[$0] ?? [] }
        return cookies.filter { !$0.isSecure }.min { $0.created < $1.created }
            ?? (mayEvictSecure ? cookies.min { $0.created < $1.created } : nil)
            ?? cookies.max { $0.created < $1.created }
    }
}
