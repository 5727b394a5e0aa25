import HttpC

/// Which profile applies to a URL.
enum ProfileChoice {
    /// The named profile, else the one with the longest match, else none.
    static func choose(
        _ name: String?, for target: TargetURL, from file: ConfigurationFile
    ) throws(CommandFailure) -> Profile? {
        let profile: Profile?
        if let name {
            profile = try named(name, for: target, from: file)
        } else {
            profile = try longestMatch(for: target, in: file.profiles)
        }
        if let table = profile?.unsupported.first, let profile {
            throw CommandFailure(
                .usage, "[profiles.\(profile.name).\(table)] is not supported in this version of httpc.")
        }
        return profile
    }

    private static func named(
        _ name: String, for target: TargetURL, from file: ConfigurationFile
    ) throws(CommandFailure) -> Profile {
        guard var profile = file.profiles.first(where: { $0.name == name }) else {
            let nearest = EditDistance.nearest(to: name, in: file.profiles.map(\.name))
            throw CommandFailure(
                .usage,
                "There is no profile \"\(TerminalText.sanitise(name))\" in \(file.shownPath)"
                    + (nearest.map { "; did you mean \"\($0)\"?" } ?? "."))
        }
        // Without a match of its own it is for the origin that the person typed beside its name.
        if profile.match.isEmpty { profile.match = [ProfileMatch(origin: target.origin)] }
        return profile
    }

    private static func longestMatch(
        for target: TargetURL, in profiles: [Profile]
    ) throws(CommandFailure) -> Profile? {
        var best: (profile: Profile, length: Int)?
        for profile in profiles {
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
