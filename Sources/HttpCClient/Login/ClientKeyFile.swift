import HttpC
import HttpCTerminal
import HttpConvPlatform

/// A private key of a profile's OAuth2 client, read when a token request needs it.
struct ClientKeyFile {
    private let path: String
    private let id: String?
    private let passphrase: SecretSource?

    init(_ path: String, id: String?, passphrase: SecretSource?) {
        self.path = path
        self.id = id
        self.passphrase = passphrase
    }

    func read() async throws -> OAuth2ClientKey {
        do { return try OAuth2ClientKey(try await key(), id: id) } catch let error as CertificateError {
            throw CommandFailure(.clientCertificateUnusable, "The client key cannot be used. \(error.message)")
        }
    }

    private func key() async throws -> ClientIdentity.PrivateKey {
        let url = URL(exactPath: path)
        do { return try await .file(url) } catch let error as CertificateError where error.code == .wrongPassphrase {
            if let passphrase, let given = try await SecretReader.read(passphrase, "passphrase") {
                return try await .file(url, passphrase: given.value)
            }
            let name = TerminalText.sanitise(url.lastPathComponent, limit: 60)
            guard
                let asked = try await ControllingTerminal.askPassword(
                    "httpc: passphrase of the client key \"\(name)\": ")
            else { throw error }
            return try await .file(url, passphrase: asked.value)
        }
    }
}
