import HttpConvFormats

/// Path rules of cookies (RFC 6265 §5.1.4).
enum CookiePath {
    /// The directory of a request's path.
    static func defaultPath(of target: TargetURL) -> String {
        let path = target.path
        guard path.starts(withBytesOf: "/"), let slash = path.lastIndex(ofASCII: "/"), slash > path.startIndex else {
            return "/"
        }
        return String(path[..<slash])
    }

    /// Whether a request path lies below a cookie's path, by whole segments.
    static func matches(_ request: some StringProtocol, _ cookie: String) -> Bool {
        let prefix = cookie.utf8.count
        guard request.utf8.starts(with: cookie.utf8) else { return false }
        return cookie.utf8.last == UInt8(ascii: "/") || request.utf8.count == prefix
            || request.utf8.dropFirst(prefix).first == UInt8(ascii: "/")
    }
}
