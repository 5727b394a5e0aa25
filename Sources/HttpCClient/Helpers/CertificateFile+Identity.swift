import HttpC
import HttpCTerminal
import HttpConvPlatform

extension CertificateFile {
    /// Reads the certificate with its key, and asks nobody for a passphrase.
    func identity() async throws(CommandFailure) -> ClientIdentity {
        guard token == nil else {
            throw CommandFailure(
                .clientCertificateUnusable,
                "The key of the client certificate is on a token, which it cannot leave: another program cannot use it."
            )
        }
        do {
            if let stored { return try await StoredCertificate(name: stored).identity() }
            var secret: Redacted<String>?
            if let passphrase { secret = try await SecretReader.read(passphrase, "passphrase") }
            return try await .file(URL(exactPath: path), format: format, passphrase: secret?.value ?? "")
        } catch {
            let reason = (error as? CertificateError)?.message ?? CommandFailure(login: error).message
            throw CommandFailure(.clientCertificateUnusable, reason)
        }
    }
}
