import HttpC

/// What to do about a login page that nobody asked for: what was seen, and the profile that logs in there.
enum LoginPageAdvice {
    /// - Parameter profile: the one that applies and says nothing about such logins
    static func text(_ login: UnaskedSAML2Login, profile: String?) -> String {
        let provider = login.target.origin
        let name = profile ?? "NAME"
        let origins = [provider, login.identityProvider].compactMap { $0 }.reduce(into: [Origin]()) { list, origin in
            if !list.contains(origin) { list.append(origin) }
        }
        var lines = [
            login.message + " Nothing was printed or saved. To log in there, "
                + (profile == nil ? "add a profile to the configuration:" : "add to the profile \"\(name)\":")
        ]
        if profile == nil { lines += ["  [profiles.\(name)]", "  match = [\"\(provider)/\"]"] }
        if profile == nil, login.identityProvider != nil {
            lines.append("  answer-origins = [\(origins.map { "\"\($0)\"" }.joined(separator: ", "))]")
        }
        lines.append("  [profiles.\(name).saml2]")
        if let header = login.header { lines.append("  header = \"\(header)\"") }
        return
            (lines + [
                "  finish-endpoint = \"/SAMLAuthLauncher\"       # the page there where logins start and end",
                "  finish-parameter = \"finishEndpointParam\"    # its query parameter at their end",
            ]).joined(separator: "\n")
    }
}
