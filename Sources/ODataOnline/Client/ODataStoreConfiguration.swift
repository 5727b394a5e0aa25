public import HTTPTypes
public import HttpConversation

/// The configuration of a store.
public struct ODataStoreConfiguration: Sendable {
    /// The format in which rows are requested. The format of an answer is known by its `Content-Type`.
    public enum Format: Hashable, Sendable {
        /// JSON, of both versions.
        case json
        /// Atom, for OData 2.0 services. Writes use JSON all the same.
        case atom
    }

    /// The limits of answers.
    public var limits = ODataLimits()
    /// The format in which rows are requested.
    public var format = Format.json
    /// The method for changing some properties of an entity; nil: PATCH, or MERGE in OData 2.0.
    public var updateMethod: HTTPRequest.Method?
    /// Whether batches are sent as JSON (4.01) instead of `multipart/mixed`.
    public var usesJSONBatches = false
    /// Other origins that a link to a next page may lead to. They are asked without the manager's credentials, cookies
    /// and filters. Their answers are trusted like the service's own pages.
    public var trustedOrigins: Set<Origin> = []
    /// Fields for each request, such as `sap-language`. They replace the store's own fields of the same name.
    public var fields: HTTPFields = [:]
    /// Query options of the request for `$metadata` that do not belong to OData, such as `sap-client`. Other requests
    /// have ``ODataQuery/customOptions``.
    public var metadataOptions: [String: String] = [:]

    /// The default configuration.
    public init() {}
}
