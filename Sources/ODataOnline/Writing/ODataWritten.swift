/// A service's answer to a create or change.
public struct ODataWritten: Sendable {
    /// The entity as it is now; nil if the service did not send it (204).
    public let row: ODataRow?
    /// The path of the entity, from `Location`, `OData-EntityId` or the entity itself; nil if the service sent none of
    /// them. If the service's link leads out of its root, it is the path by the entity's key, if the model is known.
    public let path: ODataPath?
    /// The version of the entity, for `If-Match`.
    public let etag: String?
}
