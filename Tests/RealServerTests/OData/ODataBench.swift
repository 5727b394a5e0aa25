import Foundation
import HttpC
import HttpConversationNIO
import ODataOnline

/// A service of the OData server, opened; see `Fixtures/odata_server.py`.
struct ODataBench: Sendable {
    /// The maker of the service.
    enum Maker: String, CaseIterable, Sendable {
        /// odatapy, version 4.
        case odatapy
        /// Pyslet, version 2.
        case pyslet
        /// mock-sap, version 2 in SAP's style, with tokens against cross-site request forgery.
        case sap
        /// mock-sap, version 4 in SAP's style.
        case sap4
    }

    let server: RealServer
    let store: ODataStore

    static func open(_ maker: Maker, _ options: ODataStoreConfiguration = ODataStoreConfiguration()) async throws
        -> ODataBench
    {
        let server = try await RealServers.shared.server(.odata)
        let root =
            switch maker {
            case .odatapy: server.url("/v4/")
            case .pyslet: server.url("/v2/")
            case .sap: server.url("/sap/opu/odata/sap/API_PRODUCT_SRV/", .second)
            case .sap4: server.url("/sap/opu/odata4/sap/api_product/srvd_a2x/sap/api_product/0001/", .second)
            }
        let manager = HttpConversationManager(transport: NIOTransport(), CommonAuthenticationConfigurator())
        return ODataBench(
            server: server, store: try await ODataStore.open(at: root, with: manager, configuration: options))
    }

    /// The ids of the products for which a condition is true.
    func ids(_ condition: some ODataTerm) async throws -> [Int64] {
        var ids: [Int64] = []
        for try await row in store.rows(ODataQuery("Products").filter(condition)) { ids.append(row["ID"]?.int64 ?? -1) }
        return ids
    }

    /// A number that no other test uses.
    static func newID() -> Int64 { Int64.random(in: 1000...1_000_000_000) }
}
