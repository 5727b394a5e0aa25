import HttpC

/// The advice about a login that nothing was configured for: what was seen, and a profile that logs in there.
enum LoginPageAdvice {
    /// - Parameter profile: the profile in use
    static func text(_ login: RecognizedLogin, profile: Profile?) -> String {
        let seen = login.message + " Nothing was printed or saved."
        guard let table = table(login, name: profile?.name ?? "NAME") else { return seen + " " + page }
        if let profile, let saml2 = profile.saml2, login.kind == .saml2 {
            return "\(seen) \(reason(login, profile, saml2))"
        }
        var lines = [
            "\(seen) \(page) To log in there, "
                + (profile == nil
                    ? "add a profile to the configuration:" : "add to the profile \"\(profile?.name ?? "")\":")
        ]
        if profile == nil {
            lines += ["  [profiles.NAME]", "  match = [\"\(login.target.origin)/\"]"]
            if let provider = login.provider, provider != login.target.origin, login.kind != .bearer {
                lines.append("  answer-origins = [\"\(login.target.origin)\", \"\(provider)\"]")
            }
        }
        return (lines + table.map { "  " + $0 }).joined(separator: "\n")
    }

    /// One line about a login that is only likely.
    static func line(_ likely: RecognizedLogin) -> String {
        likely.message + " It is printed as it came."
    }

    private static let page = "--accept-login-page prints the page."

    /// The reason why a profile's own settings do not log in there.
    private static func reason(_ login: RecognizedLogin, _ profile: Profile, _ saml2: SAML2Login) -> String {
        let table = "[profiles.\(profile.name).saml2]"
        guard profile.match.contains(where: { $0.matches(login.target) }) else {
            return "\(table) is for the match of the profile \"\(profile.name)\" only, and \(login.target) is outside: "
                + "to log in there, add \"\(login.target.origin)/\" to match."
        }
        if login.product == .sap, let own = saml2.header, own.lowercased() != sapHeader {
            return "\(table) has another header: header = \"\(sapHeader)\" is the one that the server sends."
        }
        return "\(table) did not recognise it: compare its header and start with what -vv shows."
    }

    private static let sapHeader = "com.sap.cloud.security.login"

    /// The lines of a profile's table that logs in there; nil if no table does.
    private static func table(_ login: RecognizedLogin, name: String) -> [String]? {
        let place = "[profiles.\(name)."
        if login.kind == .bearer {
            return [
                place + "oauth2]", "issuer = \"…\"       # a server that you trust with the login", "client-id = \"…\"",
            ]
        }
        switch login.configuration {
        case .saml2? where login.product == .sap:
            return [
                place + "saml2]", "header = \"\(sapHeader)\"",
                "finish-endpoint = \"/SAMLAuthLauncher\"       # the page there where logins start and end",
                "finish-parameter = \"finishEndpointParam\"    # its query parameter at their end",
            ]
        case .saml2?: return [place + "saml2]"]
        case .oneTimeCode?: return [place + "otp]"]
        case .webLogin(let login)?: return [place + "web-login]"] + lines(login)
        default: return nil
        }
    }

    private static func lines(_ login: WebLoginConfiguration) -> [String] {
        let challenges = login.challenges.compactMap { challenge -> String? in
            switch challenge {
            case .redirect(let place): "redirect-to = [\"\(TerminalText.sanitise(place.absoluteString))\"]"
            case .status(let code): "status = \"\(code)\""
            case .passwordForm: "password-form = true"
            default: nil
            }
        }
        return challenges + (login.start.map { ["start = \"\($0.path)\""] } ?? [])
    }
}
