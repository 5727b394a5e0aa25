package import HttpC
package import HttpCTerminal

/// Chooses the profile for a URL.
package enum ProfileChoice {
    /// The named profile, else the one with the longest match, else none.
    package static func choose(
        _ name: String?, for target: TargetURL, from file: ConfigurationFile
    ) throws(CommandFailure) -> Profile? {
        guard let name else { return try longestMatch(for: target, in: file) }
        return try named(name, for: target, from: file)
    }

    /// The profile for a login, perhaps without a URL: then the named profile as it is, else the only one with a table.
    ///
    /// - Parameters:
    ///   - table: the table's name for messages
    ///   - hasTable: whether a profile has the table
    package static func chooseLogin(
        _ name: String?, for target: TargetURL?, from file: ConfigurationFile, table: String = "OAuth2",
        _ hasTable: (Profile) -> Bool = { $0.oauth2 != nil }
    ) throws(CommandFailure) -> Profile {
        if let target {
            guard let found = try choose(name, for: target, from: file) else {
                let others =
                    file.profiles.isEmpty
                    ? "run" : "name one with --profile, add \"\(target.origin)/\" to the match of one, or run"
                throw CommandFailure(
                    .usage,
                    "No profile in \(file.shownPath) matches \(target): \(others): \(file.initialise(ShellWords.url(target)))"
                )
            }
            return found
        }
        if let name { return try named(name, from: file) }
        let candidates = file.profiles.filter(hasTable)
        guard candidates.count == 1, let only = candidates.first else {
            let names = candidates.map { "\"\($0.name)\"" }.joined(separator: ", ")
            throw CommandFailure(
                .usage,
                candidates.isEmpty
                    ? "There is no profile with \(table) in \(file.shownPath): httpc help profiles says how to write one."
                    : "Which profile? Name one with --profile, or a URL: \(names).")
        }
        return only
    }

    /// The profile for `login` and `logout`. Without a name and a URL it is the only one with a login, else the only
    /// one with OAuth2.
    package static func chooseAnyLogin(
        _ name: String?, for target: TargetURL?, from file: ConfigurationFile
    ) throws(CommandFailure) -> Profile {
        let withTokens = file.profiles.filter { $0.oauth2 != nil }
        if name == nil, target == nil, withTokens.count == 1, let only = withTokens.first { return only }
        return try chooseLogin(name, for: target, from: file, table: "a login") { $0.hasLogin }
    }

    /// A profile that is in no configuration any more, but has state; nil otherwise. It has no settings.
    package static func former(_ name: String?, in file: ConfigurationFile) -> Profile? {
        guard let name, file.profile(named: name) == nil, StateDirectory.profiles().contains(name) else { return nil }
        return Profile(name: name)
    }

    /// The profile for a URL that another program names; nil if there is none. A program cannot add its URL to a
    /// profile without a match, as a person can.
    ///
    /// - Parameter name: the only profile that is considered; nil: all of them
    static func covering(
        _ target: TargetURL, _ name: String?, in file: ConfigurationFile
    ) throws(CommandFailure) -> Profile? {
        guard let name else { return try longestMatch(for: target, in: file) }
        let profile = try named(name, from: file)
        return profile.match.contains { $0.matches(target) } ? profile : nil
    }

    private static func named(
        _ name: String, for target: TargetURL, from file: ConfigurationFile
    ) throws(CommandFailure) -> Profile {
        var profile = try named(name, from: file)
        // A profile without a match is for the origin that the person typed beside its name.
        if profile.match.isEmpty { profile.match = [ProfileMatch(origin: target.origin)] }
        return profile
    }

    private static func named(_ name: String, from file: ConfigurationFile) throws(CommandFailure) -> Profile {
        guard let profile = file.profile(named: name) else { throw unknown(name, in: file) }
        return profile
    }

    /// The failure for a name that no profile has. The name is not repeated, because it may be a secret.
    ///
    /// - Parameter others: names that are valid as well
    package static func unknown(_ name: String, in file: ConfigurationFile, or others: [String] = []) -> CommandFailure
    {
        let names = Set(file.profiles.map(\.name) + others).sorted()
        guard !names.isEmpty else {
            return CommandFailure(
                .usage,
                "There is no profile of that name, and none at all in \(file.shownPath): see httpc help profiles, or run: \(file.initialise())"
            )
        }
        let list = names.prefix(longestList).map { "\"\($0)\"" }.joined(separator: ", ")
        return CommandFailure(
            .usage,
            "There is no profile of that name in \(file.shownPath)."
                + (EditDistance.nearest(to: name, in: names).map { " Did you mean \"\($0)\"?" } ?? "")
                + " There \(names.count == 1 ? "is" : "are") \(list)"
                + (names.count > longestList ? " and \(names.count - longestList) more." : "."))
    }

    private static let longestList = 20

    private static func longestMatch(
        for target: TargetURL, in file: ConfigurationFile
    ) throws(CommandFailure) -> Profile? {
        var best: (profile: Profile, length: Int)?
        for profile in file.profiles(at: target.origin) {
            guard let length = profile.match.filter({ $0.matches(target) }).map(\.segments.count).max() else {
                continue
            }
            if let other = best, other.length == length {
                throw CommandFailure(
                    .usage,
                    "The profiles \"\(other.profile.name)\" and \"\(profile.name)\" match this URL alike: "
                        + "choose one with --profile.")
            }
            if length > best?.length ?? -1 { best = (profile, length) }
        }
        return best?.profile
    }
}
