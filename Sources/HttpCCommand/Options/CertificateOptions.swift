import ArgumentParser

/// The client certificate for servers that want one.
struct CertificateOptions: ParsableArguments {
    /// How a file holds a certificate.
    enum Kind: String, ExpressibleByArgument, CaseIterable, Sendable {
        case pem = "PEM"
        case der = "DER"
        case p12 = "P12"

        init?(argument: String) { self.init(rawValue: argument.uppercased()) }
    }

    @Option(
        name: [.customShort("E", allowingJoined: true), .customLong("cert")], parsing: .unconditional,
        help: ArgumentHelp(
            "The client certificate for a server that asks for one: PKCS#12 (.p12, .pfx) or PEM. A passphrase that is needed and not given is asked for.",
            valueName: "file[:passphrase]"))
    var certificate: String?

    @Option(
        name: .customLong("key"),
        help: ArgumentHelp("The private key of --cert, where it is not in the same file.", valueName: "file"))
    var key: String?

    @Option(
        name: .customLong("pass"), parsing: .unconditional,
        help: ArgumentHelp("The passphrase of the private key or PKCS#12 file.", valueName: "passphrase"))
    var passphrase: String?

    @Option(
        name: .customLong("cert-type"),
        help: ArgumentHelp("What --cert is, where its name does not say: PEM, DER or P12.", valueName: "type"))
    var type: Kind?

    func validate() throws {
        if certificate == nil, key != nil || passphrase != nil || type != nil {
            throw ValidationError("--key, --pass and --cert-type say more about --cert, which is missing.")
        }
    }
}
