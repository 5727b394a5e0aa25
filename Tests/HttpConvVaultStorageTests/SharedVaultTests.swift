import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConvVault
import HttpConvVaultStorage
import HttpConversation
import Testing

/// Several processes that share one vault.
@Suite("Vault storage: several processes", .timeLimit(.minutes(2)))
struct SharedVaultTests {
    private static let processes = 6
    private static let rounds = 15

    /// Each process runs the whole flow, with rotating refresh tokens.
    @Test func noRefreshTokenIsUsedTwice() async throws {
        let place = try TemporaryVault()
        let vault = try await place.vault()
        try await VaultTokenStorage(vault).save(
            OAuth2Tokens(accessToken: "access-0", refreshToken: "refresh-0"), for: Self.key())
        let path = place.directory.path
        await withTaskGroup { group in
            for number in 0..<Self.processes {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
                        try await SharedVaultTests.work(path, number)
                    }
                }
            }
        }
        let server = try await RotatingServer(vault: vault).state()
        #expect(server.reuses == 0)
        #expect(server.otherGrants == 0)
        #expect(server.served.count == Self.processes)
        #expect(server.served.values.allSatisfy { $0 == Self.rounds })
        #expect(server.generation >= Self.rounds / RotatingServer.usesOfAnAccessToken)
        let stored = try await VaultTokenStorage(vault).tokens(for: Self.key())
        #expect(stored?.refreshToken?.value == "refresh-\(server.generation)")
        #expect(try await VaultTokenStorage(vault).lease(Self.key()) != nil, "a lease was left behind")
    }

    private static func work(_ path: String, _ number: Int) async throws {
        var options = DataVaultConfiguration()
        options.busyTimeout = .seconds(30)
        let vault = try await DataVault.open(
            at: URL(fileURLWithPath: path), key: .bytes(TemporaryVault.secret), configuration: options)
        // Logging in is impossible: there is no web strategy.
        let grant = OAuth2Grant.authorizationCode(
            try AuthorizationCodeGrant(
                authorizationEndpoint: "https://auth.example.com/authorize", redirectURI: "com.example.app:/back"))
        let oauth2 = try OAuth2Configuration(
            clientID: "native", tokenEndpoint: "https://auth.example.com/token", grant: grant)
        var configurator = CommonAuthenticationConfigurator()
        configurator.tokenStorage = VaultTokenStorage(vault)
        configurator.add(
            oauth2: try ConfiguredOAuth2ServerSupport(
                name: "api", tokenOrigins: [try Origin(scheme: .https, host: "api.example.com")], configuration: oauth2)
        )
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        let manager = HttpConversationManager(
            transport: RotatingServer(vault: vault).transport(), configuration: configuration)
        for _ in 0..<rounds {
            let response = try await manager.data(for: try HTTPRequest(.get, "https://api.example.com/\(number)"))
            try #require(response.status == .ok)
        }
    }

    private static func key() throws -> OAuth2TokenKey {
        OAuth2TokenKey(storageURL: try TargetURL("https://api.example.com/"), supportName: "api")
    }
}
