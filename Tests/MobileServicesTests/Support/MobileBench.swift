import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationNIO
import HttpConversationTesting
import MobileServices
import TestLandscape

/// A landscape's mobile server, with clients for it.
struct MobileBench {
    static let applicationID = "com.example.app"
    let landscape: Landscape
    let transport: NIOTransport

    /// The URL of the server.
    var root: String { landscape.urlString(.main, "/mobile/basic/") }

    func application(
        _ id: String = applicationID, version: ServiceVersion = .latest, isPublic: Bool = false, device: String? = nil,
        paths: ServicePaths = ServicePaths()
    ) throws -> MobileApplication {
        try MobileApplication(
            at: root, id: id, version: version, isPublic: isPublic, deviceID: device, paths: paths)
    }

    /// A manager with a user's password; nil: without a login.
    func manager(_ user: String = "alice", password: String? = "wonderland") -> HttpConversationManager {
        var configuration = HttpConversationManager.Configuration()
        if let password {
            var configurator = CommonAuthenticationConfigurator()
            configurator.add(StaticCredentialProvider(username: user, password: password))
            configuration.apply(configurator)
        }
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    func client(_ manager: HttpConversationManager? = nil, _ application: MobileApplication? = nil) throws
        -> RegistrationClient
    {
        var client = RegistrationClient(manager ?? self.manager(), try application ?? self.application())
        client.properties[.deviceType] = "iPhone"
        return client
    }

    /// The path of a connection at the server.
    func path(_ id: String) -> String {
        "/mobile/basic/odata/applications/latest/\(Self.applicationID)/Connections('\(id)')"
    }

    /// The request as the back end sees it.
    struct BackEnd: Decodable, Equatable {
        var user: String
        var application: String
        var connection: String?
        var device: String?
        var isRegistered: Bool
    }

    func backEnd(_ manager: HttpConversationManager) async throws -> BackEnd {
        try await manager.get(root + Self.applicationID + "/orders", as: BackEnd.self)
    }
}

func withMobileServer(_ body: (MobileBench) async throws -> Void) async throws {
    try await withLandscape { landscape in
        let transport = NIOTransport()
        try await transport.whileRunning { try await body(MobileBench(landscape: landscape, transport: transport)) }
    }
}

/// The error that a body throws; nil for none.
func failure<Result>(_ body: () async throws -> Result) async -> MobileServicesError? {
    await thrown(MobileServicesError.self, body)
}

/// The code of the error that a body throws.
func code<Result>(_ body: () async throws -> Result) async -> MobileServicesError.Code? { await failure(body)?.code }
