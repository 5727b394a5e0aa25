#if os(Linux)
import HttpConvAuthFlows
import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// Conversion of cookies to and from the DevTools protocol.
enum BrowserCookies {
    /// The parameters that set a cookie. A host-only one is set by URL, because a domain would include subdomains.
    static func parameters(of cookie: Cookie, for targets: [TargetURL]) -> JSONValue {
        var result: [String: JSONValue] = [
            "name": .string(cookie.name), "value": .string(cookie.value), "path": .string(cookie.path),
            "secure": .bool(cookie.isSecure), "httpOnly": .bool(cookie.isHttpOnly),
        ]
        if cookie.isHostOnly {
            let isHTTPS =
                cookie.isSecure
                || targets.contains { $0.origin.scheme == .https && $0.origin.host == cookie.domain }
            // The browser rejects a cookie whose domain is not a valid origin.
            let origin = try? Origin(scheme: isHTTPS ? .https : .http, host: cookie.domain)
            result["url"] = .string(origin.map { "\($0)/" } ?? "")
        } else {
            result["domain"] = .string("." + cookie.domain)
        }
        if let expires = cookie.expires { result["expires"] = .double(expires.timeIntervalSince1970) }
        // The browser drops SameSite=None without Secure, which some servers send.
        if let sameSite = cookie.sameSite?.lowercased(), sameSite != "none" || cookie.isSecure,
            ["strict", "lax", "none"].contains(sameSite)
        {
            result["sameSite"] = .string(sameSite.prefix(1).uppercased() + sameSite.dropFirst())
        }
        return .object(result)
    }

    /// The cookies of a browser, with the ports of the servers that have set them.
    struct Jar {
        private(set) var cookies: [Cookie] = []
        private var ports: [CookieIdentity: Int] = [:]

        init() {}

        init(_ values: some Sequence<JSONValue>) {
            for value in values {
                guard let cookie = BrowserCookies.cookie(value) else { continue }
                cookies.append(cookie)
                ports[CookieIdentity(cookie)] = value["sourcePort"]?.number.flatMap {
                    PeerNumber.integer($0, clampingTo: -1...65_536)
                }
            }
        }

        /// Whether a server has set a cookie: its host, and its port where the browser says it.
        func isSet(_ cookie: Cookie, _ origin: Origin) -> Bool {
            ports[CookieIdentity(cookie)].map { $0 == origin.port } ?? true
        }
    }

    /// A cookie of the browser. Returns nil if an essential value is missing, and for a cookie of a partition
    /// (`Partitioned`) other than its own site's: a server embedded in a page of another site gets it there only.
    static func cookie(_ value: JSONValue) -> Cookie? {
        guard let host = value["domain"]?.text, case .string(let content)? = value["value"],
            isOfOwnSite(host, partition: value["partitionKey"])
        else { return nil }
        let isHostOnly = !host.hasPrefix(".")
        let domain = isHostOnly ? host.filter { $0 != "[" && $0 != "]" } : String(host.dropFirst())
        let expires = value["expires"]?.number.flatMap { $0 < 0 ? nil : PeerNumber.date(secondsSince1970: $0) }
        return Cookie(
            name: value["name"]?.text ?? "", value: content, domain: domain.lowercased(), isHostOnly: isHostOnly,
            path: value["path"]?.text ?? "/", expires: expires, isSecure: value["secure"]?.bool ?? false,
            isHttpOnly: value["httpOnly"]?.bool ?? false, sameSite: value["sameSite"]?.text)
    }

    /// Whether a cookie has no partition, or that of its own site. The host of a partition's site is a registrable
    /// domain.
    private static func isOfOwnSite(_ host: String, partition: JSONValue?) -> Bool {
        guard let partition, partition != .null else { return true }
        guard partition["hasCrossSiteAncestor"]?.bool != true, let site = partition["topLevelSite"]?.text,
            let top = try? TargetURL(site).origin.host
        else { return false }
        let name = host.lowercased().filter { $0 != "[" && $0 != "]" }
        return name == top || name == "." + top || name.hasSuffix("." + top)
    }
}
#endif
