import ArgumentParser

/// The options for redirects, compression, and the wait before a large body.
struct ConnectionOptions: ParsableArguments {
    @Flag(
        name: .customLong("compressed"), inversion: .prefixedNo,
        help: "Asks for a compressed body and unpacks it (the default).")
    var compressed: Bool?

    @Option(
        name: .customLong("expect100-timeout"),
        help: ArgumentHelp(
            "Seconds that a large body waits for 100 Continue. The default is 1.", valueName: "seconds"))
    var continueTimeout: Double?

    @Option(
        name: .customLong("max-redirs"), parsing: .unconditional,
        help: ArgumentHelp("Redirects that are followed; -1 means any number.", valueName: "number"))
    var maximumRedirects: Int = 20

    @Flag(name: [.customShort("L"), .customLong("location")], help: "Follows redirects (the default).")
    var location = false

    @Flag(name: .customLong("no-location"), help: "Does not follow redirects: the 3xx is the answer.")
    var noLocation = false

    func validate() throws {
        try ServerOptions.check(continueTimeout, "--expect100-timeout")
        if maximumRedirects < -1 { throw ValidationError("--max-redirs needs a number from -1.") }
    }
}
