import HttpC
import HttpCTerminal
import HttpConvPlatform

/// Gives the certificate of --cert or of a profile to its servers.
struct CertificateProvider: ClientCertProvider {
    private let file: CertificateFile
    private let provider: any ClientCertProvider
    private let isMeantFor: @Sendable (Origin) -> Bool

    /// - Parameter isMeantFor: the servers that may get the certificate; the handshake comes before the path is sent
    init(_ file: CertificateFile, isMeantFor: @escaping @Sendable (Origin) -> Bool) {
        self.file = file
        self.isMeantFor = isMeantFor
        if let name = file.stored {
            provider = StoredCertificate(name: name)
            return
        }
        #if os(Linux)
        if let token = file.token, let uri = try? PKCS11URI(token.value) {
            provider = PKCS11IdentityProvider(uri, isInteractive: Self.isAsked(file)) { token, challenge in
                try await Self.pin(of: token, file, challenge)
            }
            return
        }
        #endif
        provider = IdentityFileProvider(file: URL(exactPath: file.path), format: file.format) { _, challenge in
            try await Self.passphrase(of: file, challenge)
        }
    }

    func serves(_ destination: CredentialDestination) -> Bool { isMeantFor(destination.target.origin) }

    /// Whether the terminal is asked for a passphrase or PIN: such prompts take turns.
    var isInteractive: Bool { file.stored == nil && Self.isAsked(file) }

    private static func isAsked(_ file: CertificateFile) -> Bool {
        switch file.passphrase {
        case .prompt, nil: true
        default: false
        }
    }

    func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        do { return try await provider.identity(for: challenge) } catch let error as ConversationError {
            // The shorter message: the output names the server anyway.
            guard let cause = error.underlyingError as? CertificateError else { throw error }
            // The file may have been replaced by one with another passphrase.
            if cause.code == .wrongPassphrase, let source = file.passphrase { SecretReader.forget(source) }
            throw CommandFailure(.clientCertificateUnusable, "The client certificate cannot be used. \(cause.message)")
        }
    }

    private static func passphrase(of file: CertificateFile, _ challenge: AuthenticationChallenge) async throws
        -> String?
    {
        let name = TerminalText.sanitise(file.path.lastPathName, limit: 60)
        return try await secret(
            of: file, prompt: "passphrase of the client certificate \"\(name)\"", challenge,
            missing: "The client certificate \"\(name)\" has a passphrase, and there is no terminal to ask for it")
    }

    #if os(Linux)
    private static func pin(
        of token: PKCS11Token, _ file: CertificateFile, _ challenge: AuthenticationChallenge
    ) async throws -> String? {
        let warning = token.isFinalTry ? " (a wrong one locks it)" : ""
        return try await secret(
            of: file, prompt: "PIN of the \(token)\(warning)", challenge,
            missing: "The \(token) needs its PIN, and there is no terminal to ask for it")
    }
    #endif

    /// The secret of a certificate's key, from its source or from the person.
    private static func secret(
        of file: CertificateFile, prompt: String, _ challenge: AuthenticationChallenge, missing: String
    ) async throws -> String {
        if let source = file.passphrase, let secret = try await read(source) { return secret.value }
        guard
            let secret = try await ControllingTerminal.askPassword("httpc: \(prompt), for \(challenge.target.origin): ")
        else {
            throw CommandFailure(
                .clientCertificateUnusable,
                "\(missing): use --pass, or a profile with passphrase-env, passphrase-file, passphrase-command or passphrase-keyring."
            )
        }
        return secret.value
    }

    private static func read(_ source: SecretSource) async throws(CommandFailure) -> Redacted<String>? {
        do { return try await SecretReader.read(source, "passphrase") } catch {
            throw CommandFailure(.clientCertificateUnusable, error.message)
        }
    }
}
