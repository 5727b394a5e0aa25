import ArgumentParser

/// How the server is reached, and how long that may take.
struct ConnectionOptions: ParsableArguments {
    @Flag(
        name: [.customShort("k"), .customLong("insecure")],
        help: "Does not check the server's certificate: anybody can read and change what is exchanged.")
    var insecure = false

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trusts the certificates of this PEM file only.", valueName: "file"))
    var caCertificate: String?

    @Flag(
        name: .customLong("compressed"), inversion: .prefixedNo,
        help: "Asks for a compressed body and unpacks it.")
    var compressed = true

    @Option(
        name: [.customShort("m", allowingJoined: true), .customLong("max-time")],
        help: ArgumentHelp("Seconds that everything together may take.", valueName: "seconds"))
    var maximumTime: Double?

    @Option(
        name: .customLong("connect-timeout"),
        help: ArgumentHelp("Seconds that connecting may take.", valueName: "seconds"))
    var connectTimeout: Double?

    @Option(
        name: .customLong("max-redirs"), parsing: .unconditional,
        help: ArgumentHelp("Redirects that are followed; -1 means any number.", valueName: "number"))
    var maximumRedirects: Int = 20

    @Flag(name: [.customShort("L"), .customLong("location")], help: "Follows redirects (the default).")
    var location = false

    @Flag(name: .customLong("no-location"), help: "Does not follow redirects: the 3xx is the answer.")
    var noLocation = false

    func validate() throws {
        for (name, value) in [("--max-time", maximumTime), ("--connect-timeout", connectTimeout)] {
            if let value, !(value > 0 && value < 1e9) { throw ValidationError("\(name) needs a number above 0.") }
        }
        if maximumRedirects < -1 { throw ValidationError("--max-redirs needs a number from -1.") }
    }
}
