public import HttpConvPlatform
public import HttpConversation

extension ClientIdentity {
    /// Reads an identity from a file at once. ``IdentityFileProvider`` reads it when a server asks.
    ///
    /// - Parameters:
    ///   - format: the file's format; the key may be in a separate file
    ///   - passphrase: the passphrase of the file or its key; empty if there is none
    /// - Throws: `CertificateError`, which names the file that it is about
    public static func file(
        _ file: URL, format: IdentityFileProvider.Format, passphrase: String = ""
    ) async throws -> ClientIdentity {
        try await IdentityFile.work {
            let key: [UInt8]?
            if case .pem(let other?) = format { key = try usableKey(other, passphrase) } else { key = nil }
            return try CertificateError.about(file) {
                let bytes = try IdentityFile.read(file)
                switch format {
                case .pkcs12: return try .pkcs12(bytes, passphrase: passphrase)
                case .pem: return try .pem(certificates: bytes, key: key, passphrase: passphrase)
                }
            }
        }
    }

    /// The key of a separate file, in DER.
    private static func usableKey(_ file: URL, _ passphrase: String) throws -> [UInt8] {
        try CertificateError.about(file) {
            let key = try privateKey(IdentityFile.read(file), passphrase, isAlone: true)
            _ = try IdentityCheck.loaded(key)
            return key
        }
    }
}

extension ClientIdentity.PrivateKey {
    /// Reads a private key from a PEM or DER file.
    ///
    /// - Parameter passphrase: the passphrase of an encrypted key; empty if there is none
    /// - Throws: `CertificateError`, which names the file
    public static func file(_ file: URL, passphrase: String = "") async throws -> Self {
        try await IdentityFile.work {
            try CertificateError.about(file) { try .pem(IdentityFile.read(file), passphrase: passphrase) }
        }
    }
}
