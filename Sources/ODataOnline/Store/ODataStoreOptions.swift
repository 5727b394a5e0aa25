public import HTTPTypes
public import HttpConversation

/// How a store speaks to its service.
public struct ODataStoreOptions: Sendable {
    /// How rows are asked for. What the answer is in is seen by its `Content-Type`.
    public enum Format: Hashable, Sendable {
        /// JSON, of both versions.
        case json
        /// Atom, which OData 2.0 services know; written is JSON all the same.
        case atom
    }

    /// What answers may have.
    public var limits = ODataLimits()
    /// How rows are asked for.
    public var format = Format.json
    /// The method that changes some properties of an entity; nil: PATCH, or of OData 2.0 MERGE.
    public var updateMethod: HTTPRequest.Method?
    /// Whether batches are sent as JSON (4.01) instead of `multipart/mixed`.
    public var usesJSONBatches = false
    /// Other origins that a page may say the next one is at. They are asked without credentials, cookies and filters of
    /// the manager; what they answer is believed like the service's own pages.
    public var trustedOrigins: Set<Origin> = []
    /// Sent with each request, such as `sap-language`; they win over what the store sends of its own.
    public var fields: HTTPFields = [:]

    /// Those above.
    public init() {}
}
