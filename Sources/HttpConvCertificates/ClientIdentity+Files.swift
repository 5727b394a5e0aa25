public import Foundation
public import HttpConversation

extension ClientIdentity {
    /// Reads an identity from a file, at once: ``IdentityFileProvider`` does it when a server asks.
    ///
    /// - Parameters:
    ///   - format: what is in the file; a key may be in one of its own
    ///   - passphrase: opens the file or its key; empty where there is none
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
    /// Reads a private key from a file of PEM or DER.
    ///
    /// - Parameter passphrase: opens an encrypted key; empty where there is none
    /// - Throws: `CertificateError`, which names the file
    public static func file(_ file: URL, passphrase: String = "") async throws -> Self {
        do {
            return try await IdentityFile.work { try .pem(IdentityFile.read(file), passphrase: passphrase) }
        } catch let error as CertificateError {
            throw error.about(file)
        }
    }
}
