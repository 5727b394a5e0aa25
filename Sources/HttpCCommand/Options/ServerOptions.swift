import ArgumentParser

/// What every command that talks to a server can be told: whom to trust, and how long everything may take.
struct ServerOptions: ParsableArguments {
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

    func validate() throws { try Self.check(maximumTime, "--max-time") }

    /// Refuses what is no duration.
    static func check(_ seconds: Double?, _ name: String) throws {
        if let seconds, !(seconds > 0 && seconds < 1e9) { throw ValidationError("\(name) needs a number above 0.") }
    }
}
