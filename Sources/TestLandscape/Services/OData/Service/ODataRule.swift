/// The behaviour of a landscape's OData services.
package struct ODataRule: Sendable, Hashable {
    /// The number of entities per page, unless the client asks for another.
    package var pageSize = 100
    /// Whether changes to entities that have tags need `If-Match`.
    package var needsTags = true
    /// Whether changes need a CSRF token, if the service has a login.
    package var needsToken = true
    /// The number of pages after which all sessions and access tokens end, once; nil: never.
    package var expiresAfterPages: Int?
    /// The fault of answers; nil: none.
    package var fault: ODataFault?

    /// The behaviour of real servers.
    package init() {}
}
