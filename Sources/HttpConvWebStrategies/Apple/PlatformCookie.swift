// Compiled on Apple's platforms only, and not run by this project's tests, which run on Linux.
#if canImport(WebKit)
import HttpConvPlatform
import HttpConversation
import WebKit

extension HTTPCookie {
    /// The cookie as the platform's type.
    convenience init?(_ cookie: Cookie) {
        let properties = cookie.systemProperties.map { (HTTPCookiePropertyKey($0), $1 as Any) }
        self.init(properties: Dictionary(uniqueKeysWithValues: properties))
    }
}

extension Cookie {
    init(_ cookie: HTTPCookie) {
        self.init(
            name: cookie.name, value: cookie.value,
            domain: cookie.domain.hasPrefix(".") ? String(cookie.domain.dropFirst()) : cookie.domain,
            isHostOnly: !cookie.domain.hasPrefix("."), path: cookie.path, expires: cookie.expiresDate,
            isSecure: cookie.isSecure, isHttpOnly: cookie.isHTTPOnly)
    }
}
#endif
