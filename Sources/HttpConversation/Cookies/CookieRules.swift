import HttpConvFormats

/// Rules for all cookies: from a server, a web view or a file (security rule S15).
public enum CookieRules {
    /// Returns the cookie with its domain normalised; nil if it must not be stored.
    ///
    /// A cookie is sent as part of a field, and stored as a line of a file: nothing in it may end either. A tab ends a
    /// column of such a line; a cookie with a tab is never written to a file.
    public static func checked(_ cookie: Cookie) -> Cookie? {
        let isWhole = [cookie.name, cookie.value, cookie.path].allSatisfy {
            !$0.hasControlsBesidesTab && !$0.contains(ascii: ";")
        }
        guard isWhole, !(cookie.name.isEmpty && cookie.value.isEmpty), !cookie.name.contains(ascii: "="),
            cookie.path.starts(withBytesOf: "/"), cookie.sameSite?.hasControlsBesidesTab != true,
            keepsPrefixPromise(cookie),
            let domain = normalised(cookie.domain)
        else { return nil }
        var normal = cookie
        if domain != cookie.domain { normal.domain = domain }
        return normal
    }

    /// Whether a cookie may be stored in a file: one with a tab stays in memory (security rule S15).
    public static func mayBeKept(_ cookie: Cookie) -> Bool {
        ![cookie.name, cookie.value, cookie.path].contains { $0.contains(ascii: "\t") }
    }

    /// Checks a cookie from a file, whose domain is checked like a `Domain` attribute; nil if it is refused.
    ///
    /// - Parameters:
    ///   - cookie: the cookie as it is in the file
    ///   - suffixes: the public suffix list; without one the cookie becomes host-only
    public static func checked(_ cookie: Cookie, readBackWith suffixes: PublicSuffixList?) -> Cookie? {
        guard var cookie = checked(cookie) else { return nil }
        guard !cookie.isHostOnly else { return cookie }
        // These have no sub-domains; host-only makes that clear to other software.
        let standsAlone = HostName.isIPLiteral(cookie.domain) || cookie.domain == "localhost"
        if standsAlone || suffixes == nil {
            cookie.isHostOnly = true
            return cookie
        }
        return suffixes?.isPublicSuffix(cookie.domain) == true ? nil : cookie
    }

    /// The domain of a `Domain` attribute without its leading dot; nil if it is invalid as a host name, or ends in a
    /// dot.
    static func normalised(_ domain: String) -> String? {
        guard let last = domain.unicodeScalars.last, !dots.contains(last) else { return nil }
        return try? HostName.normalise(domain)
    }

    /// The full stop, and the characters that IDNA treats as one (UTS 46 §2.3).
    private static let dots: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]

    /// Checks `__Secure-` and `__Host-` (RFC 6265bis §4.1.3), even if a nameless cookie's value imitates them.
    private static func keepsPrefixPromise(_ cookie: Cookie) -> Bool {
        let shown = cookie.name.isEmpty ? cookie.value : cookie.name
        let isSecure = shown.starts(withASCIILetters: "__secure-")
        let isHost = shown.starts(withASCIILetters: "__host-")
        guard isSecure || isHost else { return true }
        guard !cookie.name.isEmpty, cookie.isSecure else { return false }
        return !isHost || (cookie.isHostOnly && cookie.path == "/")
    }
}
