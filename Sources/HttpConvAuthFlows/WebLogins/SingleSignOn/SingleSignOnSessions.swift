import HttpConvPlatform
public import HttpConversation

/// The sessions at identity providers: their cookies, by the origin that set them (security rule S33).
///
/// A value without I/O, for a ``SingleSignOnStorage`` to keep. Encoded it contains secrets.
public struct SingleSignOnSessions: Codable, Hashable, Sendable {
    /// The maximum number of cookies of an origin.
    static let maximumCookies = 50
    /// The maximum size of a cookie's name and value, in bytes.
    static let maximumBytes = 8192
    /// The maximum number of origins.
    static let maximumOrigins = 50

    private struct Entry: Codable, Hashable {
        var cookie: Cookie
        /// The time when the cookie got this value.
        var obtained: Date

        /// Whether the cookie is older than its own expiry or, without one, than an age.
        func hasEnded(at now: Date, maximumAge: Duration) -> Bool {
            if let expires = cookie.expires { return expires <= now }
            let age = now.timeIntervalSince(obtained)
            // A cookie from the future would last too long. A minute covers clocks that are set.
            return age < -60 || age >= maximumAge / .seconds(1)
        }
    }

    private struct Session: Codable, Hashable {
        var entries: [Entry] = []
        /// Whether the person agreed to this origin during a login.
        var isConfirmed = false
    }

    /// By the text of the origin.
    private var sessions: [String: Session] = [:]

    /// No sessions.
    public init() {}

    /// The origins that have a session, in order.
    public var origins: [Origin] {
        sessions.keys.sorted().compactMap { try? TargetURL($0).origin }
    }

    /// The origins that the person confirmed.
    var confirmed: Set<Origin> {
        Set(origins.filter { sessions["\($0)"]?.isConfirmed == true })
    }

    /// The cookies of an origin that may be used, host-only.
    func cookies(at origin: Origin, maximumAge: Duration, now: Date) -> [Cookie] {
        // Files are trusted no more than servers, so what is stored is checked again.
        (sessions["\(origin)"]?.entries ?? []).filter { !$0.hasEnded(at: now, maximumAge: maximumAge) }
            .compactMap { Self.admitted($0.cookie, at: origin) }
    }

    /// Replaces the session of an origin with the cookies of a login view. Cookies that did not change keep their age.
    ///
    /// - Parameters:
    ///   - cookies: all cookies of the view that this origin has set
    ///   - isConfirmed: whether the person agreed to the origin
    mutating func keep(_ cookies: [Cookie], at origin: Origin, isConfirmed: Bool, now: Date) {
        let old = sessions["\(origin)"]
        var entries: [CookieIdentity: Entry] = [:]
        for cookie in cookies.compactMap({ Self.admitted($0, at: origin) }).sorted(by: { $0.created < $1.created }) {
            let before = old?.entries.first { $0.cookie.hasSameContent(as: cookie) }
            let entry = Entry(cookie: cookie, obtained: before?.obtained ?? now)
            guard !entry.hasEnded(at: now, maximumAge: SingleSignOnPolicy.longestAge) else { continue }
            entries[CookieIdentity(cookie)] = entry
        }
        let kept = entries.values.sorted { $0.cookie.created > $1.cookie.created }.prefix(Self.maximumCookies)
        sessions["\(origin)"] =
            kept.isEmpty
            ? nil : Session(entries: Array(kept), isConfirmed: isConfirmed || old?.isConfirmed == true)
        removeEnded(now: now)
    }

    /// Removes the sessions of some origins.
    mutating func remove(_ origins: some Sequence<Origin>) {
        for origin in origins { sessions["\(origin)"] = nil }
    }

    private mutating func removeEnded(now: Date) {
        sessions = sessions.compactMapValues { session in
            var session = session
            session.entries.removeAll { $0.hasEnded(at: now, maximumAge: SingleSignOnPolicy.longestAge) }
            return session.entries.isEmpty ? nil : session
        }
        while sessions.count > Self.maximumOrigins, let oldest = sessions.min(by: { age($0.value) < age($1.value) }) {
            sessions[oldest.key] = nil
        }
    }

    private func age(_ session: Session) -> Date { session.entries.map(\.obtained).max() ?? .distantPast }

    /// A cookie of an origin as it is kept: for the origin's host alone, and for https alone if the origin is https.
    ///
    /// Returns nil for a cookie of a wider domain, which another server could have set and would get.
    private static func admitted(_ cookie: Cookie, at origin: Origin) -> Cookie? {
        guard cookie.domain == origin.host, cookie.name.utf8.count + cookie.value.utf8.count <= maximumBytes,
            !cookie.isSecure || origin.scheme == .https
        else { return nil }
        var narrowed = cookie
        narrowed.isHostOnly = true
        narrowed.isSecure = cookie.isSecure || origin.scheme == .https
        guard CookieRules.mayBeKept(narrowed) else { return nil }
        return CookieRules.checked(narrowed)
    }
}

extension SingleSignOnSessions: CustomStringConvertible, CustomReflectable {
    /// The origins.
    public var description: String { "sessions at \(origins.map(\.description))" }
    public var customMirror: Mirror { Mirror(self, children: ["sessions": description]) }
}

extension Cookie {
    /// Whether a cookie has the same name, path, value and expiry.
    func hasSameContent(as other: Cookie) -> Bool {
        name == other.name && path == other.path && value == other.value && expires == other.expires
    }
}
