import HttpConvAuthFlows
import HttpConversation
import HttpConversationNIO
import HttpConversationTesting
import ODataOnline
import TestLandscape

/// A landscape's OData services, and stores for them.
struct ServiceBench {
    let landscape: Landscape
    let transport: NIOTransport

    func root(_ version: ODataVersion, login: String = "open") -> String {
        landscape.urlString(.main, "/service/\(login)/\(version == .v2 ? "v2" : "v4")/")
    }

    /// A manager that logs in as a user.
    func manager() -> HttpConversationManager {
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(StaticCredentialProvider(username: "alice", password: "wonderland"))
        return HttpConversationManager(transport: transport, configurator)
    }

    func store(
        _ version: ODataVersion, login: String = "open", options: ODataStoreConfiguration = ODataStoreConfiguration()
    ) async throws -> ODataStore {
        try await ODataStore.open(at: root(version, login: login), with: manager(), configuration: options)
    }
}

func withServices(_ body: (ServiceBench) async throws -> Void) async throws {
    try await withLandscape { landscape in
        let transport = NIOTransport()
        try await transport.whileRunning { try await body(ServiceBench(landscape: landscape, transport: transport)) }
    }
}
