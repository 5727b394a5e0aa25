public import HttpConvPlatform
public import HttpConversation

extension ClientIdentity {
    /// Reads an identity from certificates and a key in PEM, or from one certificate and a key in DER.
    ///
    /// - Parameters:
    ///   - certificates: the client's certificate and those that lead towards its authority; may include the key
    ///   - key: the private key; nil if it is with the certificates
    ///   - passphrase: the passphrase of an encrypted key; empty if there is none
    ///   - now: the time at which the certificate has to be valid
    /// - Throws: `CertificateError`
    public static func pem(
        certificates: [UInt8], key: [UInt8]? = nil, passphrase: String = "", now: Date = Date()
    ) throws(CertificateError) -> ClientIdentity {
        let blocks = try PEMText.identityBlocks(certificates)
        var found = blocks.filter { $0.label == "CERTIFICATE" || $0.label == "X509 CERTIFICATE" }.map(\.bytes)
        if found.isEmpty, (try? BERReader(sequence: certificates)) != nil { found = [certificates] }
        guard !found.isEmpty, !found.contains([]) else {
            throw CertificateError(.unreadable, "There is no certificate in it, or a damaged one.")
        }
        return try IdentityCheck(
            certificates: found, key: privateKey(key ?? certificates, passphrase, isAlone: key != nil), now: now
        ).identity()
    }

    /// The certificates in PEM, the client's own first.
    public var pemCertificates: String { certificates.map { PEMText.encode($0, "CERTIFICATE") }.joined() }

    /// The private key in PEM without a passphrase, for another program; nil if it cannot be read.
    public var pemPrivateKey: Redacted<String>? {
        guard case .der(let bytes) = privateKey.storage else { return nil }
        return Redacted(PEMText.encode(bytes.value, "PRIVATE KEY"))
    }

    static func privateKey(
        _ file: [UInt8], _ passphrase: String, isAlone: Bool
    ) throws(CertificateError) -> [UInt8] {
        let keys = try PEMText.identityBlocks(file).filter { $0.label.hasSuffix("PRIVATE KEY") }
        guard let key = keys.first else {
            if isAlone, (try? BERReader(sequence: file)) != nil { return file }
            throw isAlone
                ? CertificateError(.unreadable, "There is no private key in the file of the key.")
                : CertificateError(
                    .certificateWithoutKey,
                    "There is a certificate in it, but no private key: name the key's file, too.")
        }
        guard key.isEncrypted || key.label == "ENCRYPTED PRIVATE KEY" else { return key.bytes }
        let missing = CertificateError(.wrongPassphrase, "The private key has a passphrase, and none was given.")
        do {
            if key.isEncrypted {
                try EncryptedKey.requireKnown(header: key.text)
                guard !passphrase.isEmpty else { throw missing }
                return try EncryptedKey.decrypt(pem: Array(key.text.utf8), passphrase)
            }
            var info = try BERReader(sequence: key.bytes)
            let encrypted = PKCS12File.Encrypted(
                algorithm: try info.node(), bytes: try info.octets(), element: key.bytes)
            try EncryptedKey.requireKnown(encrypted.algorithm)
            guard !passphrase.isEmpty else { throw missing }
            var work = KeyDerivations()
            try work.take(for: encrypted.algorithm)
            return try EncryptedKey.decrypt(encrypted, passphrase, isChecked: false)
        } catch let error as CertificateError {
            throw error
        } catch is BERReader.Malformed {
            throw CertificateError(.unreadable, "The private key is damaged.")
        } catch {
            throw key.isEncrypted
                ? EncryptedKey.wrong : CertificateError(.unreadable, "The private key is damaged.")
        }
    }
}

extension ClientIdentity.PrivateKey {
    /// Reads a private key from PEM or DER, such as the key that an OAuth2 client signs assertions with.
    ///
    /// - Parameters:
    ///   - bytes: the file's bytes
    ///   - passphrase: the passphrase of an encrypted key; empty if there is none
    /// - Throws: `CertificateError`
    public static func pem(_ bytes: [UInt8], passphrase: String = "") throws(CertificateError) -> Self {
        let key = try ClientIdentity.privateKey(bytes, passphrase, isAlone: true)
        guard (try? BERReader(sequence: key)) != nil else {
            throw CertificateError(.unreadable, "The private key is damaged.")
        }
        return .der(key)
    }
}
