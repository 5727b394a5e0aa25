/// Habits of the landscape's OData services.
package struct ODataRule: Sendable, Hashable {
    /// How many entities a page has where the client does not say.
    package var pageSize = 100
    /// Whether changes to entities that have tags need `If-Match`.
    package var needsTags = true
    /// Whether what changes needs a CSRF token, where there is a login.
    package var needsToken = true
    /// After how many pages all sessions and access tokens end, once; nil: they do not.
    package var expiresAfterPages: Int?
    /// What goes wrong; nil: nothing.
    package var fault: ODataFault?

    /// What real servers do.
    package init() {}
}
