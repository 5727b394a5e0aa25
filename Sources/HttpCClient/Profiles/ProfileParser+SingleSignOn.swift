import HttpC
import HttpCTerminal
import HttpConvFormats

/// The keys of a profile about single sign-on: `sso`, `sso-max-age`, `sso-origins` and `logout-url`.
extension ProfileParser {
    static let singleSignOnKeys = ["sso", "sso-max-age", "sso-origins", "logout-url"]

    func singleSignOn(_ table: ConfigurationTable, of profile: Profile) throws(CommandFailure) -> SingleSignOnKeys {
        var keys = SingleSignOnKeys()
        if let name = try table.string("sso") {
            if !ProfileName.isValid(name) {
                try refuse(" sso in \(table.shownName) is a name of letters, digits, - _ . or \"none\".")
            }
            if profile.logon != nil, name != "none" {
                try refuse(
                    " \(table.shownName) has sso and logon: the vault of a logon keeps its sessions by itself.")
            }
            keys.store = name == "none" ? .none : .named(name)
        }
        keys.origins = try origins(table, "sso-origins")
        if let text = try table.string("sso-max-age") {
            if let age = Self.age(text), age <= SingleSignOnPolicy.longestAge {
                keys.maximumAge = age
            } else {
                try refuse(
                    " sso-max-age in \(table.shownName) is a number with s, m, h or d, such as \"8h\"; at most \"7d\".")
            }
        }
        // Origins that could never be sent a session are refused at once.
        if let origins = keys.origins {
            do { _ = try SingleSignOnPolicy(origins: origins) } catch {
                try refuse(" sso-origins in \(table.shownName): \(error.message)")
            }
        }
        if let url = try value(table, "logout-url", { text throws(ConversationError) in try TargetURL(text) }) {
            if url.userinfo != nil {
                try refuse(" logout-url in \(table.shownName) has a user name or password in it.")
            }
            // A match with mistakes may be incomplete.
            let isWithin = profile.match.contains { $0.origin == url.origin }
            if !isWithin, mistakes == nil || !profile.match.isEmpty || !table.keys.contains("match") {
                try refuse(" logout-url in \(table.shownName) is at \(url.origin), which is not in the match.")
            }
            keys.logoutURL = url
        }
        return keys
    }

    /// A time such as `8h`.
    static func age(_ text: String) -> Duration? {
        let units: [Character: Duration] = [
            "s": .seconds(1), "m": .seconds(60), "h": .seconds(3600), "d": .seconds(86_400),
        ]
        guard let unit = text.last.flatMap({ units[$0] }),
            let count = PeerNumber.integer(text.dropLast(), in: 1...1_000_000)
        else { return nil }
        return unit * count
    }
}
