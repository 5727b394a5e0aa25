import HttpConvFormats

/// Domain rules of cookies (RFC 6265 §5.1.3).
enum CookieDomain {
    /// Whether `host` is `domain` or below it; IP literals match themselves only.
    static func matches(_ host: String, _ domain: String) -> Bool {
        host == domain || (host.ends(withBytesOf: "." + domain) && !HostName.isIPLiteral(host))
    }
    /// Whether two domains are the same, or one is below the other.
    static func areRelated(_ one: String, _ other: String) -> Bool { matches(one, other) || matches(other, one) }
}
