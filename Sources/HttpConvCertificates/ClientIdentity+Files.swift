public import HttpConvPlatform
public import HttpConversation

extension ClientIdentity {
    /// Reads an identity from a file at once. ``IdentityFileProvider`` reads it when a server asks.
    ///
    /// - Parameters:
    ///   - format: the file's format; the key may be in a separate file
    ///   - passphrase: the passphrase of the file or its key; empty if there is none
    /// - Throws: `CertificateError`, which names the file
    public static func file(
        _ file: URL, format: IdentityFileProvider.Format, passphrase: String = ""
    ) async throws -> ClientIdentity {
        do {
            return try await IdentityFile.work {
                let bytes = try IdentityFile.read(file)
                switch format {
                case .pkcs12: return try .pkcs12(bytes, passphrase: passphrase)
                case .pem(let key):
                    return try .pem(
                        certificates: bytes, key: try key.map { try IdentityFile.read($0) }, passphrase: passphrase)
                }
            }
        } catch let error as CertificateError {
            throw error.about(file)
        }
    }
}

extension ClientIdentity.PrivateKey {
    /// Reads a private key from a PEM or DER file.
    ///
    /// - Parameter passphrase: the passphrase of an encrypted key; empty if there is none
    /// - Throws: `CertificateError`, which names the file
    public static func file(_ file: URL, passphrase: String = "") async throws -> Self {
        do {
            return try await IdentityFile.work { try .pem(IdentityFile.read(file), passphrase: passphrase) }
        } catch let error as CertificateError {
            throw error.about(file)
        }
    }
}
