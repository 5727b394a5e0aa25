/// A service's answer to a create or change.
public struct ODataWritten: Sendable {
    /// The entity as it is now; nil if the service did not send it (204).
    public let row: ODataRow?
    /// The path of the entity, from `Location` or `OData-EntityId`; nil if the service sent neither.
    public let path: ODataPath?
    /// The version of the entity, for `If-Match`.
    public let etag: String?
}
