import ArgumentParser

/// Whose tokens `login`, `logout` and `tokens` are about, and how the server is reached.
struct TokenOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("A URL that the profile is for; --profile does as well.", valueName: "URL"))
    var url: String?

    @Option(help: ArgumentHelp("The profile, rather than the longest match of the URL.", valueName: "name"))
    var profile: String?

    @Option(help: ArgumentHelp("The configuration file with the profiles.", valueName: "file"))
    var config: String?

    @Flag(name: .shortAndLong, help: "Shows the conversations with the server, without their secrets.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "No messages, except where a person has to log in.")
    var silent = false

    @Flag(
        name: [.customShort("k"), .customLong("insecure")],
        help: "Does not check the server's certificate: anybody can read and change what is exchanged.")
    var insecure = false

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trusts the certificates of this PEM file only.", valueName: "file"))
    var caCertificate: String?

    @Option(
        name: [.customShort("m", allowingJoined: true), .customLong("max-time")],
        help: ArgumentHelp("Seconds that everything together may take.", valueName: "seconds"))
    var maximumTime: Double?

    func validate() throws {
        if let maximumTime, !(maximumTime > 0 && maximumTime < 1e9) {
            throw ValidationError("--max-time needs a number above 0.")
        }
    }
}
