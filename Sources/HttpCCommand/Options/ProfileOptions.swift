import ArgumentParser

/// The profile of a sub-command, and the way to its servers.
@dynamicMemberLookup
struct ProfileOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("A URL that the profile is for; --profile does as well.", valueName: "URL"))
    var url: String?

    @OptionGroup var settings: ProfileSettings

    subscript<Value>(dynamicMember member: KeyPath<ProfileSettings, Value>) -> Value { settings[keyPath: member] }
}

extension ProfileOptions {
    /// The options of a command that has an argument of its own for the URL.
    init(url: String?, _ settings: ProfileSettings) {
        self.init()
        self.url = url
        self.settings = settings
    }
}
