import HttpC
import HttpCTerminal

/// `[profiles.NAME.oauth2]`: its keys, and their permitted combinations.
extension ProfileParser {
    private static let oauth2Keys =
        [
            "grant", "issuer", "sap-server", "authorization-endpoint", "token-endpoint",
            "device-authorization-endpoint", "revocation-endpoint", "client-id", "scopes", "client-auth", "client-key",
            "client-key-id", "redirect-uri", "username", "token-origins",
        ] + keys(of: "client-secret") + keys(of: "client-key-passphrase") + keys(of: "password")

    func oauth2(_ table: ConfigurationTable) throws(CommandFailure) -> OAuth2Login {
        try table.allow(Self.oauth2Keys)
        var login = OAuth2Login()
        if let grant: OAuth2Login.Grant = try choice(table, "grant") { login.grant = grant }
        login.issuer = try table.string("issuer")
        login.sapServer = try table.string("sap-server")
        login.authorizationEndpoint = try table.string("authorization-endpoint")
        login.tokenEndpoint = try table.string("token-endpoint")
        login.deviceEndpoint = try table.string("device-authorization-endpoint")
        login.revocationEndpoint = try table.string("revocation-endpoint")
        login.clientID = try table.string("client-id") ?? ""
        login.clientSecret = try secret(table, "client-secret")
        login.clientAuthentication = try choice(table, "client-auth")
        login.clientKey = try table.string("client-key").map { absolute($0) }
        login.clientKeyID = try table.string("client-key-id")
        login.clientKeyPassphrase = try secret(table, "client-key-passphrase")
        login.scopes = try table.strings("scopes") ?? []
        login.givenRedirectURI = try table.string("redirect-uri")
        login.username = try table.string("username")
        login.password = try secret(table, "password")
        login.tokenOrigins = try tokenOrigins(table)
        if let problem = login.problem { throw failure(" \(table.shownName) \(problem).") }
        return login
    }

    /// Security rule S11: origins that could never get the tokens are refused at once.
    private func tokenOrigins(_ table: ConfigurationTable) throws(CommandFailure) -> [Origin]? {
        guard let origins = try origins(table, "token-origins") else { return nil }
        if origins.isEmpty { throw failure(" token-origins in \(table.shownName) is empty: leave it out.") }
        if let plain = origins.first(where: { $0.scheme != .https && !$0.isLoopback }) {
            throw failure(
                " token-origins in \(table.shownName) has \(plain): tokens go over https only, or to this machine.")
        }
        return origins
    }
}
