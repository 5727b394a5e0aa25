import HttpConvFormats
public import HttpConversation

/// An OData service, and the manager that sends requests to it.
///
/// ```swift
/// let store = try await ODataStore.open(at: "https://example.com/sales/", with: manager)
/// for try await row in store.rows(ODataQuery("Products").filter(ODataProperty("Price") > 10)) {
///     print(row["Name"]?.string ?? "")
/// }
/// ```
/// A store is a value, and its copies share the service and the manager. The manager handles logins, expired sessions,
/// tokens against cross-site request forgery and certificates.
public struct ODataStore: Sendable {
    /// The root of the service. All requests go below it.
    public let root: TargetURL
    /// The version of OData that the store speaks.
    public let version: ODataVersion
    /// The model from `$metadata`; nil if it was not read.
    public let model: ODataModel?

    let client: ServiceClient

    /// A store of a service whose version is known. It sends no request.
    ///
    /// - Throws: ``ODataError/Code/invalidService``
    public init(
        at root: some TargetURLConvertible, version: ODataVersion, with manager: HttpConversationManager,
        model: ODataModel? = nil, configuration: ODataStoreConfiguration = ODataStoreConfiguration()
    ) throws(ODataError) {
        let root = try ServiceRoot(root)
        self.root = root.url
        self.version = version
        self.model = model
        client = ServiceClient(manager: manager, root: root, version: version, configuration: configuration)
    }

    /// Opens the store of a service: reads `$metadata`, which tells the version and the model.
    public static func open(
        at root: some TargetURLConvertible, with manager: HttpConversationManager,
        configuration: ODataStoreConfiguration = ODataStoreConfiguration()
    ) async throws(ODataError) -> ODataStore {
        let first = try ODataStore(at: root, version: .v4, with: manager, configuration: configuration)
        let model = try await first.metadata()
        return try ODataStore(
            at: root, version: model.version, with: manager, model: model, configuration: configuration)
    }
}
