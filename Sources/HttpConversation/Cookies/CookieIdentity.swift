/// What makes two cookies the same one: a later one takes the place of the earlier (RFC 6265 §5.3).
package struct CookieIdentity: Hashable, Sendable {
    private let name: String
    private let domain: String
    private let path: String
    private let isHostOnly: Bool

    package init(_ cookie: Cookie) {
        name = cookie.name
        domain = cookie.domain
        path = cookie.path
        isHostOnly = cookie.isHostOnly
    }
}
