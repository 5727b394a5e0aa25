/// Path rules of cookies (RFC 6265 §5.1.4).
enum CookiePath {
    /// The directory of a request's path.
    static func defaultPath(of target: TargetURL) -> String {
        let path = target.path
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Whether a request path lies below a cookie's path, by whole segments.
    static func matches(_ request: String, _ cookie: String) -> Bool {
        guard request.hasPrefix(cookie) else { return false }
        return request.utf8.count == cookie.utf8.count || cookie.hasSuffix("/")
            || request.utf8[request.utf8.index(request.startIndex, offsetBy: cookie.utf8.count)] == UInt8(ascii: "/")
    }
}

/// Domain rules of cookies (RFC 6265 §5.1.3).
enum CookieDomain {
    /// Whether `host` is `domain` or below it; IP literals match themselves only.
    static func matches(_ host: String, _ domain: String) -> Bool {
        host == domain || (host.hasSuffix("." + domain) && !HostName.isIPLiteral(host))
    }
}
