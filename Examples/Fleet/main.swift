// A service on several machines that calls an API for its users. The tokens of all users are in PostgreSQL: the
// machines share them, and one of them renews. `scripts/fleet` runs two of them behind nginx.
//
// usage: FleetExample PORT API-SERVER, with the database in FLEET_DATABASE and the key of the tokens in
// FLEET_TOKEN_KEY: other users of the machine see arguments, and not the environment.
import Foundation
import HttpC
import HttpConvPostgresStorage
import HttpConvVault
import Hummingbird

#if PostgreSQL
let port = Int(CommandLine.arguments[1]) ?? 0
let api = CommandLine.arguments[2]
let database = try await PostgresTokenDatabase.open(
    PostgresConfiguration(ProcessInfo.processInfo.environment["FLEET_DATABASE"] ?? ""),
    key: .environment("FLEET_TOKEN_KEY"))
// The landscape's users. A real service would send its users to the authorization server.
let passwords = ["alice": "wonderland", "bob": "builder's \"secret\""]

/// One manager for each user, whose tokens are the user's own.
let users = UserSessions<String> { user in
    guard let password = passwords[user] else { throw HTTPError(.forbidden) }
    var login = CommonAuthenticationConfigurator()
    login.tokenStorage = PostgresTokenStorage(database, user: user)
    login.add(
        oauth2: try ConfiguredOAuth2ServerSupport(
            name: "api", tokenOrigins: [try TargetURL(api).origin],
            configuration: try OAuth2Configuration(
                clientID: "native", tokenEndpoint: "\(api)/oauth2/token",
                grant: .password(UsernamePassword(username: user, password: password)))))
    return .init(applying: [login])
}

let router = Router()
router.get("orders") { request, _ in
    // A real service knows its users by a session; here a field names them.
    guard let name = HTTPField.Name("X-User"), let user = request.headers[name] else { throw HTTPError(.unauthorized) }
    return try await users.manager(of: user).get("\(api)/api/orders").successful().text
}
router.get("health") { _, _ in
    database.health.isWell && OAuth2EndpointFailure.all.isEmpty ? HTTPResponse.Status.ok : .serviceUnavailable
}

// On SIGTERM the service answers the requests that it has, each with its renewal, and then stops.
try await Application(
    router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
    onServerRunning: { channel in
        // At once: `print` waits until there is more.
        FileHandle.standardOutput.write(Data("listens on \(channel.localAddress?.port ?? 0)\n".utf8))
    }
).runService()
await PlatformTransport.shared.shutdown()
database.close()
#else
print("Build with the trait PostgreSQL: swift build --traits PostgreSQL")
#endif
