import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConvVaultStorage
import HttpConversation
import HttpConversationNIO

/// Small GETs over one connection: with a stored token sent ahead, with a password sent ahead after the first challenge
/// (basic), or without either, in a manager that is configured alike but for the server support (plain), or not at all
/// (bare).
struct TokenRequests {
    struct WrongLength: Error {}

    private let manager: HttpConversationManager
    private let request: HTTPRequest

    init(_ mode: String, port: Int, place: URL) async throws {
        let hasToken = mode == "memory" || mode == "vault"
        let directory = hasToken ? "bearer" : mode == "basic" ? "basic" : "nobody"
        let target = try TargetURL("http://127.0.0.1:\(port)/\(directory)/json")
        var configuration = HttpConversationManager.Configuration()
        if mode == "plain" { configuration.apply(CommonAuthenticationConfigurator()) }
        if mode == "basic" {
            var configurator = CommonAuthenticationConfigurator()
            configurator.add(StaticCredentialProvider(username: "alice", password: "secret"))
            configuration.apply(configurator)
        }
        if hasToken {
            let storage: any OAuth2TokenStorage =
                mode == "vault" ? VaultTokenStorage(try await TokenStores.vault(place)) : InMemoryTokenStorage()
            let root = try TargetURL("\(target.origin)/")
            try await storage.save(
                TokenStores.tokens(), for: OAuth2TokenKey(storageURL: root, supportName: TokenStores.support))
            configuration.apply(try Self.configurator(storage, target.origin))
        }
        manager = HttpConversationManager(transport: NIOTransport(), configuration: configuration)
        request = try HTTPRequest(.get, target.absoluteString)
    }

    private static func configurator(
        _ storage: any OAuth2TokenStorage, _ origin: Origin
    ) throws -> CommonAuthenticationConfigurator {
        var configurator = CommonAuthenticationConfigurator()
        configurator.tokenStorage = storage
        configurator.add(
            oauth2: try ConfiguredOAuth2ServerSupport(
                name: TokenStores.support, tokenOrigins: [origin],
                configuration: try OAuth2Configuration(
                    clientID: "bench", authentication: .basic(secret: "secret"), tokenEndpoint: "\(origin)/token",
                    grant: .clientCredentials)))
        return configurator
    }

    func run(_ count: Int) async throws {
        for _ in 0..<count {
            let response = try await manager.data(for: request)
            guard response.status == .ok, response.bytes.count == 82 else { throw WrongLength() }
        }
    }
}
