import Foundation

/// Reads one `Set-Cookie` value (RFC 6265 §5.2 and §5.3).
struct SetCookieParser {
    let target: TargetURL
    let suffixes: PublicSuffixList?
    let now: Date

    /// The cookie to store (possibly one that has expired: a deletion), or nil where it is to be ignored.
    func parse(_ text: String) -> Cookie? {
        guard text.utf8.count <= 8192, !text.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
            return nil
        }
        var parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let (name, value) = Self.nameAndValue(parts.removeFirst())
        guard !(name.isEmpty && value.isEmpty) else { return nil }
        let attributes = Attributes(parts, now: now)
        guard let (domain, isHostOnly) = domain(attributes.domain) else { return nil }
        let path = attributes.path.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? CookiePath.defaultPath(of: target)
        if attributes.isSecure, target.origin.scheme != .https { return nil }
        guard keepsPrefixPromise(name, value, attributes, isHostOnly: isHostOnly, path: path) else { return nil }
        return Cookie(
            name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path, expires: attributes.expires,
            isSecure: attributes.isSecure, isHttpOnly: attributes.isHttpOnly, sameSite: attributes.sameSite,
            created: now)
    }

    private static func nameAndValue(_ text: Substring) -> (name: String, value: String) {
        guard let equals = text.firstIndex(of: "=") else { return ("", trim(text)) }
        return (trim(text[..<equals]), trim(text[text.index(after: equals)...]))
    }

    private static func trim(_ text: Substring) -> String {
        text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    }

    /// The domain the cookie is for; nil where the server may not set one for it.
    private func domain(_ attribute: String?) -> (domain: String, isHostOnly: Bool)? {
        let host = target.origin.host
        guard var wanted = attribute?.lowercased(), !wanted.isEmpty else { return (host, true) }
        if wanted.hasPrefix(".") { wanted.removeFirst() }
        if wanted.hasSuffix(".") { wanted.removeLast() }
        if let encoded = try? HostName.normalise(wanted) { wanted = encoded }
        if wanted == host, target.origin.isIPLiteral || suffixes?.isPublicSuffix(wanted) != false {
            return (host, true)
        }
        guard CookieDomain.matches(host, wanted) else { return nil }
        guard let suffixes else { return (host, true) }
        return suffixes.isPublicSuffix(wanted) ? nil : (wanted, false)
    }

    /// `__Secure-` and `__Host-` (RFC 6265bis §4.1.3), also where a nameless cookie's value imitates them.
    private func keepsPrefixPromise(
        _ name: String, _ value: String, _ attributes: Attributes, isHostOnly: Bool, path: String
    ) -> Bool {
        let shown = (name.isEmpty ? value : name).lowercased()
        if name.isEmpty, shown.hasPrefix("__secure-") || shown.hasPrefix("__host-") { return false }
        if shown.hasPrefix("__secure-") { return attributes.isSecure }
        if shown.hasPrefix("__host-") { return attributes.isSecure && attributes.domain == nil && path == "/" }
        return true
    }

    private struct Attributes {
        var domain: String?
        var path: String?
        var expires: Date?
        var isSecure = false
        var isHttpOnly = false
        var sameSite: String?

        init(_ parts: [Substring], now: Date) {
            var maxAge: Date?
            for part in parts {
                let (first, second) = SetCookieParser.nameAndValue(part)
                let (name, value) = part.contains("=") ? (first.lowercased(), second) : (second.lowercased(), "")
                switch name {
                case "domain": domain = value
                case "path": path = value
                case "expires": expires = CookieDate.parse(value) ?? expires
                case "max-age": maxAge = Self.maxAge(value, now: now) ?? maxAge
                case "secure": isSecure = true
                case "httponly": isHttpOnly = true
                case "samesite": sameSite = value
                default: break
                }
            }
            expires = maxAge ?? expires
        }

        /// Seconds from now; zero and below mean at once, too large ones are cut to 400 days as browsers do.
        private static func maxAge(_ text: String, now: Date) -> Date? {
            let digits = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            if text.hasPrefix("-") { return .distantPast }
            let seconds = Int(digits) ?? .max
            return seconds == 0 ? .distantPast : now.addingTimeInterval(Double(min(seconds, 400 * 86_400)))
        }
    }
}
