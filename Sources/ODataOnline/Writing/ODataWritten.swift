/// What a service answers to something that was created or changed.
public struct ODataWritten: Sendable {
    /// The entity as it is now; nil where the service did not send it along (204).
    public let row: ODataRow?
    /// Where the entity is, by the service's `Location` or `OData-EntityId`; nil where it did not say.
    public let path: ODataPath?
    /// The version of the entity, for `If-Match`.
    public let etag: String?
}
