import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal

/// The client certificate, for servers that want one.
struct CertificateOptions: ParsableArguments {
    @Option(
        name: [.customShort("E", allowingJoined: true), .customLong("cert")], parsing: .unconditional,
        help: ArgumentHelp(
            "The client certificate for a server that asks for one: PKCS#12 (.p12, .pfx), PEM, or the name of one on a token (pkcs11:token=work;object=alice). A passphrase or PIN that is needed and not given is asked for.",
            valueName: "file[:passphrase]"))
    var certificate: String?

    @Option(
        name: .customLong("key"),
        help: ArgumentHelp("The private key of --cert, if it is in a separate file.", valueName: "file"))
    var key: String?

    @Option(
        name: .customLong("pass"), parsing: .unconditional,
        help: ArgumentHelp(
            "The passphrase of the private key or PKCS#12 file, or the PIN of the token.", valueName: "passphrase"))
    var passphrase: String?

    @Option(
        name: .customLong("cert-type"),
        help: ArgumentHelp("The type of --cert, if its name does not tell: PEM, DER or P12.", valueName: "type"))
    var type: CertificateFile.Kind?

    @Option(
        name: .customLong("cert-origin"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Another server that may be shown --cert, such as the identity provider of a login. Without it only the requested server gets the certificate.",
            valueName: "origin"))
    var certificateOrigins: [String] = []

    func validate() throws {
        guard certificate == nil else { return }
        if key != nil || passphrase != nil || type != nil || !certificateOrigins.isEmpty {
            throw ValidationError(
                "--key, --pass, --cert-type and --cert-origin need --cert.")
        }
    }

    /// The certificate of --cert.
    var file: CertificateFile? {
        guard let certificate else { return nil }
        if PKCS11URI.isURI(certificate) {
            var file = CertificateFile(token: certificate, passphrase: passphrase.map { .literal(Redacted($0)) })
            file.key = key
            file.kind = type
            return file
        }
        let (path, inside) = CertificateFile.split(certificate)
        return CertificateFile(
            path: path, key: key, kind: type, passphrase: (passphrase ?? inside).map { .literal(Redacted($0)) })
    }

    /// The further servers that may get the certificate.
    func origins() throws(CommandFailure) -> Set<Origin> {
        do throws(ConversationError) {
            return Set(try certificateOrigins.map { text throws(ConversationError) in try TargetURL(text).origin })
        } catch {
            throw CommandFailure(.usage, "--cert-origin: \(error.message)")
        }
    }
}

extension CertificateFile.Kind: ExpressibleByArgument {
    init?(argument: String) { self.init(rawValue: argument.uppercased()) }
}
