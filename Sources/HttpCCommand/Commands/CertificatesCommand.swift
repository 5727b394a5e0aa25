import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvPlatform
import HttpConvVaultStorage

/// `httpc certificates`: client certificates with their keys, stored encrypted, for `vault = "NAME"` in a profile.
struct CertificatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificates", abstract: "Keeps client certificates with their keys, encrypted, for profiles.",
        subcommands: [Import.self, List.self, Remove.self])

    /// `httpc certificates import NAME FILE`.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Takes in a client certificate with its key, under a name.")

        @Argument(help: "The name, for vault = \"NAME\" in a profile's cert table.") var name: String
        @Argument(help: "PKCS#12 (.p12, .pfx) or PEM. A passphrase that is needed and not given is asked for.")
        var file: String
        @Option(help: ArgumentHelp("The private key, if it is in a separate file.", valueName: "file"))
        var key: String?
        @Option(
            name: .customLong("pass"), parsing: .unconditional,
            help: ArgumentHelp("The passphrase of the private key or PKCS#12 file.", valueName: "passphrase"))
        var passphrase: String?
        @Option(
            name: .customLong("cert-type"),
            help: ArgumentHelp("The type of the file, if its name does not tell: PEM, DER or P12.", valueName: "type"))
        var type: CertificateFile.Kind?

        func run() async throws {
            let name = try CertificatesCommand.checked(name)
            let source = CertificateFile(path: file, key: key, kind: type)
            try source.check()
            let identity = try await read(source)
            try await CertificatesCommand.using { try await $0.store(identity, named: name) }
            Diagnostics.write("httpc: keeps \"\(name)\": \(identity.summary)")
        }

        private func read(_ source: CertificateFile) async throws -> ClientIdentity {
            let url = URL(exactPath: source.path)
            do {
                do { return try await .file(url, format: source.format, passphrase: passphrase ?? "") } catch let error
                    as CertificateError where error.code == .wrongPassphrase && passphrase == nil
                {
                    let prompt = "httpc: passphrase of \"\(TerminalText.sanitise(url.lastPathComponent, limit: 60))\": "
                    guard let asked = try await ControllingTerminal.askPassword(prompt) else {
                        throw CommandFailure(.clientCertificateUnusable, "\(error.message) Give it with --pass.")
                    }
                    return try await .file(url, format: source.format, passphrase: asked.value)
                }
            } catch let error as CertificateError {
                throw CommandFailure(.clientCertificateUnusable, error.message)
            }
        }
    }

    /// `httpc certificates list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the stored certificates, without their keys.")

        func run() async throws {
            guard let vault = try await StoredCertificates.state.existingVault() else {
                return Self.tellThatThereIsNone()
            }
            let identities = VaultIdentities(vault)
            let rows = try await VaultWork.uncancelled {
                var rows: [[String]] = []
                for name in try await identities.names() {
                    guard let summary = try await identities.identity(named: name)?.summary else { continue }
                    let end = summary.notAfter > Date() ? summary.notAfter.formatted(.iso8601) : "expired"
                    rows.append([
                        name, TerminalText.sanitise(summary.subject, limit: 60),
                        TerminalText.sanitise(summary.issuer, limit: 60), end,
                    ])
                }
                return rows
            }
            if rows.isEmpty { Self.tellThatThereIsNone() }
            try TextTable.print(["NAME", "FOR", "ISSUED BY", "EXPIRES"], rows)
        }

        private static func tellThatThereIsNone() { Diagnostics.write("httpc: there are no certificates.") }
    }

    /// `httpc certificates remove NAME`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Forgets a certificate and its key.")

        @Argument(help: "The name of the certificate.") var name: String

        func run() async throws {
            let name = try CertificatesCommand.checked(name)
            let existing = try await StoredCertificates.state.existingVault()
            let isGone = try await VaultWork.uncancelled { [existing] in
                guard let existing else { return false }
                return try await VaultIdentities(existing).remove(name)
            }
            if !isGone { throw CommandFailure(.usage, "There is no client certificate \"\(name)\".") }
        }
    }

    private static func using(_ work: @escaping @Sendable (VaultIdentities) async throws -> Void) async throws {
        let vault = try await StoredCertificates.state.vault()
        try await VaultWork.uncancelled { try await work(VaultIdentities(vault)) }
    }

    private static func checked(_ name: String) throws -> String {
        guard ProfileName.isValid(name) else {
            throw ValidationError("The name of a certificate may have letters, digits, - _ . only.")
        }
        return name
    }
}
