// Compiled on Apple's platforms only, and not run by this project's tests, which run on Linux.
#if canImport(WebKit)
import HttpConvPlatform
import HttpConversation
import WebKit

extension HTTPCookie {
    /// The cookie as the platform's type. A leading dot of the domain marks a cookie that is not host-only.
    convenience init?(_ cookie: Cookie) {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name, .value: cookie.value, .path: cookie.path,
            .domain: cookie.isHostOnly ? cookie.domain : ".\(cookie.domain)",
        ]
        if let expires = cookie.expires { properties[.expires] = expires }
        if cookie.isSecure { properties[.secure] = "TRUE" }
        if cookie.isHttpOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        self.init(properties: properties)
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
