import HttpC
import HttpCTerminal
import HttpConvFormats

/// `[profiles.NAME.oauth2]`: its keys, and their permitted combinations.
extension ProfileParser {
    private static let oauth2Keys =
        [
            "grant", "issuer", "sap-server", "authorization-endpoint", "token-endpoint",
            "device-authorization-endpoint", "revocation-endpoint", "end-session-endpoint", "pushed-request-endpoint",
            "client-id", "scopes", "client-auth", "client-key", "client-key-id", "redirect-uri", "username",
            "token-origins", "resources", "dpop", "prompt", "max-age", "acr-values", "login-hint", "parameters",
            "assertion-audience", "assertion-issuer", "assertion-key", "assertion-key-id", "subject-token-type",
            "actor-token-type", "requested-token-type", "audiences", "id-token",
        ] + keys(of: "client-secret") + keys(of: "client-key-passphrase") + keys(of: "password")
        + keys(of: "assertion") + keys(of: "assertion-key-passphrase") + keys(of: "subject-token")
        + keys(of: "actor-token")

    func oauth2(_ table: ConfigurationTable) throws(CommandFailure) -> OAuth2Table {
        let primaryMistakes = mistakes?.primaryMistakes
        try table.allow(Self.oauth2Keys)
        var login = OAuth2Table()
        if let grant: OAuth2Table.Grant = try choice(table, "grant") { login.grant = grant }
        login.issuer = try table.string("issuer")
        login.sapServer = try table.string("sap-server")
        login.authorizationEndpoint = try table.string("authorization-endpoint")
        login.tokenEndpoint = try table.string("token-endpoint")
        login.deviceEndpoint = try table.string("device-authorization-endpoint")
        login.revocationEndpoint = try table.string("revocation-endpoint")
        login.endSessionEndpoint = try table.string("end-session-endpoint")
        login.pushedRequestEndpoint = try table.string("pushed-request-endpoint")
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
        login.resources = try table.strings("resources") ?? []
        login.lendsIDToken = try table.boolean("id-token") ?? false
        if let dpop: OAuth2Table.DPoP = try choice(table, "dpop") { login.dpop = dpop }
        login.parameters = try parameters(table)
        login.assertions = try assertions(table)
        // After a mistake in a value, these problems may only be its consequences.
        if mistakes?.primaryMistakes == primaryMistakes {
            for problem in login.problems { try refuse(" \(table.shownName) \(problem).") }
        }
        return login
    }

    /// The further parameters of the login: the well-known ones have keys of their own.
    private func parameters(_ table: ConfigurationTable) throws(CommandFailure) -> [String: String] {
        var parameters: [String: String] = [:]
        if let others = try table.table("parameters") {
            for name in others.keys { parameters[name] = try others.string(name) }
        }
        for key in ["prompt", "max-age", "acr-values", "login-hint"] {
            guard let value = try table.string(key) else { continue }
            let name = key.replacing("-", with: "_")
            if parameters[name] != nil {
                try refuse(" \(table.shownName) has both \(key) and \(name) of parameters: leave one out.")
            }
            parameters[name] = value
        }
        if let age = parameters["max_age"], PeerNumber.integer(age, in: 0...Int.max) == nil {
            try refuse(" max-age in \(table.shownName) must be a number of seconds, as a string.")
        }
        return parameters
    }

    private func assertions(_ table: ConfigurationTable) throws(CommandFailure) -> OAuth2Assertions {
        var assertions = OAuth2Assertions()
        assertions.given = try secret(table, "assertion")
        assertions.audience = try table.string("assertion-audience")
        assertions.issuer = try table.string("assertion-issuer")
        assertions.key = try table.string("assertion-key").map { absolute($0) }
        assertions.keyID = try table.string("assertion-key-id")
        assertions.keyPassphrase = try secret(table, "assertion-key-passphrase")
        assertions.subject = try token(table, "subject-token")
        assertions.actor = try token(table, "actor-token")
        assertions.requestedType = try choice(table, "requested-token-type")
        assertions.audiences = try table.strings("audiences") ?? []
        return assertions
    }

    private func token(
        _ table: ConfigurationTable, _ key: String
    ) throws(CommandFailure) -> OAuth2Assertions.Token? {
        let type: OAuth2Assertions.TokenType? = try choice(table, "\(key)-type")
        guard let source = try secret(table, key) else {
            if type != nil { try refuse(" \(table.shownName) has \(key)-type, but no \(key).") }
            return nil
        }
        return OAuth2Assertions.Token(source: source, type: type ?? .accessToken)
    }

    /// Security rule S11: origins that could never get the tokens are refused at once.
    private func tokenOrigins(_ table: ConfigurationTable) throws(CommandFailure) -> [Origin]? {
        guard let origins = try origins(table, "token-origins") else { return nil }
        if table.isEmptyList("token-origins") {
            try refuse(" token-origins in \(table.shownName) is empty: leave it out.")
        }
        for plain in origins where !plain.isSecure {
            try refuse(
                " token-origins in \(table.shownName) has \(plain): tokens go over https only, or to this machine.")
        }
        return origins
    }
}
