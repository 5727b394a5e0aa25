public import HttpConversation
import ODataFormats

/// A service of OData, and the manager whose conversations ask it.
///
/// ```swift
/// let store = try await ODataStore.open(at: "https://example.com/sales/", with: manager)
/// for try await row in store.rows(ODataQuery("Products").filter(ODataProperty("Price") > 10)) {
///     print(row["Name"]?.string ?? "")
/// }
/// ```
/// A value: copies ask the same service by the same manager. Logins, sessions that end, tokens against cross-site request
/// forgery and certificates are the manager's business.
public struct ODataStore: Sendable {
    /// Where the service is; all requests go below.
    public let root: TargetURL
    /// The version of OData that it is spoken to in.
    public let version: ODataVersion
    /// What `$metadata` says; nil where it was not read.
    public let model: ODataModel?

    let client: ServiceClient

    /// A store of a service whose version is known. Nothing is asked.
    ///
    /// - Throws: ``ODataError/Code/invalidService``
    public init(
        at root: some TargetURLConvertible, version: ODataVersion, with manager: HttpConversationManager,
        model: ODataModel? = nil, options: ODataStoreOptions = ODataStoreOptions()
    ) throws(ODataError) {
        let root = try ServiceRoot(root)
        self.root = root.url
        self.version = version
        self.model = model
        client = ServiceClient(manager: manager, root: root, version: version, options: options)
    }

    /// Opens the store of a service: reads `$metadata`, which says of which version it is and what it has.
    public static func open(
        at root: some TargetURLConvertible, with manager: HttpConversationManager,
        options: ODataStoreOptions = ODataStoreOptions()
    ) async throws(ODataError) -> ODataStore {
        let first = try ODataStore(at: root, version: .v4, with: manager, options: options)
        let model = try await first.metadata()
        return try ODataStore(at: root, version: model.version, with: manager, model: model, options: options)
    }
}
