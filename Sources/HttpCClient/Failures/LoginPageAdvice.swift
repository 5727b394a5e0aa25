import HttpC

/// The advice about an unrequested login page: what was seen, and a profile that logs in there.
enum LoginPageAdvice {
    /// - Parameter profile: the profile in use
    static func text(_ login: UnaskedSAML2Login, profile: Profile?) -> String {
        if let profile, let saml2 = profile.saml2 { return text(login, profile, saml2) }
        return example(login, profile: profile?.name)
    }

    /// The reason why a profile's own settings do not log in there.
    private static func text(_ login: UnaskedSAML2Login, _ profile: Profile, _ saml2: SAML2Login) -> String {
        let table = "[profiles.\(profile.name).saml2]"
        let seen = login.message + " Nothing was printed or saved. "
        guard profile.match.contains(where: { $0.matches(login.target) }) else {
            return seen
                + "\(table) is for the match of the profile \"\(profile.name)\" only, and \(login.target) is outside: "
                + "to log in there, add \"\(login.target.origin)/\" to match."
        }
        if let header = login.header, let own = saml2.header, header.lowercased() != own.lowercased() {
            return seen + "\(table) has another header: header = \"\(header)\" is the one that the server sends."
        }
        return seen + "\(table) did not recognise it: compare its header and start with what -vv shows."
    }

    private static func example(_ login: UnaskedSAML2Login, profile: String?) -> String {
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
        return lines.joined(separator: "\n")
    }
}
