import ArgumentParser

/// The options of every command about a profile that exists: its name, and the way to its servers.
@dynamicMemberLookup
struct ProfileSettings: ParsableArguments {
    @Option(
        help: ArgumentHelp("The profile, rather than the longest match of the URL.", valueName: "name"),
        completion: CompletedProfiles.kind)
    var profile: String?

    @OptionGroup var common: ProfileCommonOptions

    subscript<Value>(dynamicMember member: KeyPath<ProfileCommonOptions, Value>) -> Value { common[keyPath: member] }
}
