import Foundation
import HTTPTypes
package import HttpConvAuthFlows
import HttpConvConcurrency
package import HttpConvVault
import HttpConvVaultStorage
import HttpConversation
import HttpConversationNIO

#if PostgreSQL
import HttpConvPostgresStorage
#endif

/// A client of a landscape whose tokens are in a vault or database that processes share; can be passed to another
/// process.
package struct VaultClient: Codable, Sendable {
    /// The directory of the vault.
    package let vault: String
    /// The connection string of a database in place of the vault.
    package var database: String?
    /// How long the database may take to answer, in seconds.
    package var databaseTimeout = 5
    /// The base URL of the landscape, without a slash.
    package let server: String
    /// The duration of a lease unless it is extended, in milliseconds.
    package var lease = 30_000
    /// Whether it can log in, with alice's password; otherwise a login fails with an error that says so.
    package var canLogIn = false
    /// The number of seconds that its clock is ahead: earlier tokens look expired.
    package var ahead = 0.0

    private static let secret = [UInt8](repeating: 7, count: 32)

    package init(vault: String, server: String) {
        self.vault = vault
        self.server = server
    }

    /// The same client with a login.
    package var person: VaultClient {
        var person = self
        person.canLogIn = true
        return person
    }

    package func open() async throws -> DataVault { try await open(watch: nil) }

    func open(watch: RotationWatch?) async throws -> DataVault {
        var options = DataVaultConfiguration()
        options.busyTimeout = .seconds(30)
        if let watch { options.failPoint = { watch.vault($0) } }
        return try await DataVault.openOrCreate(
            at: URL(fileURLWithPath: vault), key: .bytes(Self.secret), configuration: options)
    }

    /// The storage of the tokens.
    func storage(watch: RotationWatch? = nil) async throws -> any OAuth2TokenStorage {
        #if PostgreSQL
        if let database {
            var configuration = PostgresConfiguration(database)
            configuration.connections = 2
            configuration.timeout = .seconds(databaseTimeout)
            if let watch { configuration.failPoint = { watch.postgres($0) } }
            return PostgresTokenStorage(try await PostgresTokenDatabase.open(configuration, key: .bytes(Self.secret)))
        }
        #endif
        return VaultTokenStorage(try await open(watch: watch))
    }

    /// A manager over sockets.
    ///
    /// - Parameter ahead: the number of seconds that the client's clock is ahead; nil: ``ahead``
    func manager(
        on storage: any OAuth2TokenStorage, watch: RotationWatch? = nil, ahead: (@Sendable () -> Double)? = nil
    ) throws -> HttpConversationManager {
        var configurator = CommonAuthenticationConfigurator()
        configurator.tokenStorage = storage
        configurator.webStrategies = WebStrategies()
        configurator.oauth2Settings.leaseDuration = .milliseconds(lease)
        configurator.oauth2Settings.clock = ClockAhead(seconds: ahead ?? { [ahead = self.ahead] in ahead })
        configurator.add(
            oauth2: try ConfiguredOAuth2ServerSupport(
                name: "api", tokenOrigins: [try TargetURL(server).origin], configuration: try configuration()))
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        return HttpConversationManager(
            transport: WatchedTransport(inner: NIOTransport(), watch: watch), configuration: configuration)
    }

    private func configuration() throws -> OAuth2Configuration {
        // A client that cannot log in has no web strategy for this grant.
        let code = try AuthorizationCodeGrant(
            authorizationEndpoint: server + "/oauth2/authorize", redirectURI: "com.example.app:/callback")
        let password = UsernamePassword(username: "alice", password: "wonderland")
        return try OAuth2Configuration(
            clientID: "native", tokenEndpoint: server + "/oauth2/token",
            grant: canLogIn ? .password(password) : .authorizationCode(code))
    }

    /// The storage key of its tokens.
    package var key: OAuth2TokenKey {
        get throws { OAuth2TokenKey(storageURL: try TargetURL(server + "/"), supportName: "api") }
    }
}

/// The system's clock, with a date that is some seconds ahead.
private struct ClockAhead: WallClock {
    let seconds: @Sendable () -> Double
    var date: Date { Date(timeIntervalSinceNow: seconds()) }
    var uptime: Duration { SystemClock().uptime }
    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
