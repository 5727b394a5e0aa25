import HttpConvFormats
import HttpConvPlatform

/// Reads one `Set-Cookie` value (RFC 6265 §5.2 and §5.3).
struct SetCookieParser {
    let target: TargetURL
    let suffixes: PublicSuffixList?
    let now: Date

    /// The maximum bytes of name and value together, and of an attribute's value (RFC 6265bis §5.6).
    private static let maximum = (pair: 4096, attribute: 1024)

    /// The cookie to store, which may have expired already (a deletion); nil if it is to be ignored.
    func parse(_ text: String) -> Cookie? {
        let text = text.trimmingSpaces
        guard text.utf8.count <= 8192, !text.hasControlsBesidesTab, !text.hasLostBytes else { return nil }
        var parts = text.split(ascii: ";", keepsEmpty: true)
        let (name, value) = Self.nameAndValue(parts.removeFirst())
        guard name.utf8.count + value.utf8.count <= Self.maximum.pair else { return nil }
        let attributes = Attributes(parts, now: now)
        guard let (domain, isHostOnly) = domain(attributes.domain) else { return nil }
        let path =
            attributes.path.flatMap { $0.starts(withBytesOf: "/") ? $0 : nil } ?? CookiePath.defaultPath(of: target)
        if attributes.isSecure, target.origin.scheme != .https { return nil }
        // Without a list, a `Domain` makes a host-only cookie. `__Host-` still forbids the attribute.
        if attributes.domain != nil, name.starts(withASCIILetters: "__host-") { return nil }
        return CookieRules.checked(
            Cookie(
                name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path,
                expires: attributes.expires, isSecure: attributes.isSecure, isHttpOnly: attributes.isHttpOnly,
                sameSite: attributes.sameSite, created: now))
    }

    /// A cookie's name and value: text without an equals sign is a value without a name (RFC 6265bis §5.6).
    private static func nameAndValue(_ text: Substring) -> (name: String, value: String) {
        guard let (name, value) = text.cut(atASCII: "=") else { return ("", String(text.trimmingSpaces)) }
        return (String(name.trimmingSpaces), String(value.trimmingSpaces))
    }

    /// The domain of the cookie; nil if the server may not set a cookie for it.
    private func domain(_ attribute: String?) -> (domain: String, isHostOnly: Bool)? {
        let host = target.origin.host
        guard let attribute else { return (host, true) }
        let written = attribute.starts(withBytesOf: ".") ? Substring(attribute.utf8.dropFirst()) : attribute[...]
        guard let wanted = CookieRules.normalised(String(written)) else { return nil }
        if wanted == host, target.origin.isIPLiteral || suffixes?.isPublicSuffix(wanted) != false {
            return (host, true)
        }
        guard CookieDomain.matches(host, wanted) else { return nil }
        guard let suffixes else { return (host, true) }
        return suffixes.isPublicSuffix(wanted) ? nil : (wanted, false)
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
                let pair = part.cut(atASCII: "=")
                let name = (pair?.before ?? part).trimmingSpaces.asciiLowercased
                let value = String((pair?.after ?? "").trimmingSpaces)
                guard value.utf8.count <= SetCookieParser.maximum.attribute else { continue }
                switch name {
                // A `Domain` without a value is ignored (RFC 6265 §5.2.3).
                case "domain": domain = value.isEmpty ? domain : value
                case "path": path = value
                case "expires": expires = HTTPDate.parse(value) ?? expires
                case "max-age": maxAge = Self.maxAge(value, now: now) ?? maxAge
                case "secure": isSecure = true
                case "httponly": isHttpOnly = true
                case "samesite": sameSite = value
                default: break
                }
            }
            expires = maxAge ?? expires
        }

        /// Seconds from now; zero and negative values mean at once, and large ones are cut to 400 days as browsers do.
        private static func maxAge(_ text: String, now: Date) -> Date? {
            let isNegative = text.starts(withBytesOf: "-")
            let digits = Substring(text.utf8.dropFirst(isNegative ? 1 : 0))
            guard let seconds = PeerNumber.integer(digits, clampingTo: 400 * 86_400) else { return nil }
            return isNegative || seconds == 0 ? .distantPast : now + TimeInterval(seconds)
        }
    }
}
