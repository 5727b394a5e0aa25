import HttpC
import HttpCTerminal

/// The settings that an authorization server refused, for the end of an error's message. It begins with a space, or is
/// empty if there is nothing to say.
enum OAuth2Advice {
    static func text(_ error: OAuth2Error, given: GivenSettings) -> String {
        guard let login = given.profile?.oauth2 else { return "" }
        let table = "\(given.table).oauth2"
        // UAA has one error for a wrong password and a wrong client.
        let isPerson = login.grant == .password && ["invalid_grant", "unauthorized"].contains(error.serverError)
        return (isPerson ? person(login, table) : "") + (error.refusesClient ? client(login, table, given) : "")
    }

    /// The settings of the person's login.
    private static func person(_ login: OAuth2Table, _ table: String) -> String {
        let place = login.password?.place("password", in: table)
        return " User name and password are those of username\(place.map { " and \($0)" } ?? "")."
    }

    /// The settings that authenticate the client.
    private static func client(_ login: OAuth2Table, _ table: String, _ given: GivenSettings) -> String {
        if let key = login.clientKey {
            return " The client id is that of client-id, its key that of client-key in [\(table)], "
                + "\(TerminalText.sanitise(key))."
        }
        if login.clientAuthentication?.isByCertificate == true {
            return " The client id is that of client-id in [\(table)], its certificate that of "
                + "\(given.certificate ?? "[\(given.table).cert]")."
        }
        guard let secret = login.clientSecret else {
            return
                " [\(table)] has no client secret: add client-secret-env or client-secret-file, where the client has one."
        }
        return " The client id is that of client-id, its secret that of \(secret.place("client-secret", in: table))."
    }
}

extension SecretSource {
    /// The setting of the secret, such as `client-secret-env in [profiles.x.oauth2], the variable SECRET`.
    ///
    /// - Parameter key: the key of a literal
    func place(_ key: String, in table: String) -> String {
        switch self {
        case .literal: "\(key) in [\(table)]"
        case .environment(let variable):
            "\(key)-env in [\(table)]"
                + (SecretReader.isPlainName(variable) ? ", the variable \(variable)" : "")
        case .file(let path):
            "\(key)-file in [\(table)]" + (InputFile.isRegular(path) ? ", \(TerminalText.sanitise(path))" : "")
        case .command: "\(key)-command in [\(table)]"
        case .keyring: "\(key)-keyring in [\(table)]"
        case .prompt: "the question on the terminal"
        }
    }
}
