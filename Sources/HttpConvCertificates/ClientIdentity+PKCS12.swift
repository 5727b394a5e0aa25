public import HttpConvPlatform
public import HttpConversation

extension ClientIdentity {
    /// Reads an identity from a PKCS#12 file, such as a `.p12` or `.pfx`.
    ///
    /// - Parameters:
    ///   - bytes: the file's bytes
    ///   - passphrase: the file's passphrase; empty if there is none
    ///   - now: the time at which the certificate has to be valid
    /// - Throws: `CertificateError`
    public static func pkcs12(
        _ bytes: [UInt8], passphrase: String, now: Date = Date()
    ) throws(CertificateError) -> ClientIdentity {
        let (certificates, keys) = try contents(bytes, passphrase)
        guard let key = keys.first else {
            throw certificates.isEmpty
                ? CertificateError(.unreadable, "There is neither a certificate nor a key in it.")
                : CertificateError(
                    .certificateWithoutKey,
                    "There is a certificate in it, but no private key: export it once more, with the key.")
        }
        guard keys.count == 1 else {
            throw CertificateError(.unsupportedKey, "There are \(keys.count) private keys in it: export one alone.")
        }
        return try IdentityCheck(certificates: certificates, key: key, now: now).identity()
    }

    private static func contents(
        _ bytes: [UInt8], _ passphrase: String
    ) throws(CertificateError) -> (certificates: [[UInt8]], keys: [[UInt8]]) {
        do {
            let file = try PKCS12File(bytes)
            var work = KeyDerivations()
            // Without a passphrase, both an empty and a missing one are tried.
            for _ in 0..<(passphrase.isEmpty ? 2 : 1) { try file.mac.map { try work.take($0.iterations) } }
            for encrypted in file.encryptedSafes { try work.take(for: encrypted.algorithm) }
            let (passphrase, isChecked) = try check(passphrase, file.mac)
            var safe = file.safe
            for encrypted in file.encryptedSafes { safe.append(try open(encrypted, passphrase, isChecked)) }
            for encrypted in safe.encryptedKeys {
                try EncryptedKey.requireKnown(encrypted.algorithm)
                try work.take(for: encrypted.algorithm)
            }
            let decrypted = try safe.encryptedKeys.map {
                try EncryptedKey.decrypt($0, passphrase.text, isChecked: isChecked)
            }
            return (safe.certificates, safe.keys + decrypted)
        } catch let error as CertificateError {
            throw error
        } catch {
            throw CertificateError(.unreadable, "It is not a PKCS#12 file, or damaged.")
        }
    }

    /// - Returns: the form of the passphrase that the MAC was made with, and whether there was a MAC to check it
    private static func check(
        _ passphrase: String, _ mac: PKCS12MAC?
    ) throws -> (PKCS12Passphrase, isChecked: Bool) {
        let given = PKCS12Passphrase(passphrase)
        guard let mac, let isRight = mac.isMade(with: given) else { return (given, false) }
        if isRight { return (given, true) }
        if passphrase.isEmpty, mac.isMade(with: .none) == true { return (.none, true) }
        throw CertificateError(
            .wrongPassphrase,
            passphrase.isEmpty ? "It has a passphrase, and none was given." : "The passphrase does not open it.")
    }

    private static func open(
        _ encrypted: PKCS12File.Encrypted, _ passphrase: PKCS12Passphrase, _ isChecked: Bool
    ) throws -> PKCS12File.Safe {
        guard let scheme = try PBES2(encrypted.algorithm) else {
            return PKCS12File.Safe(certificates: try LegacySafe.certificates(encrypted, passphrase))
        }
        guard let bytes = try scheme.decrypt(encrypted.bytes, passphrase.text),
            let safe = try? PKCS12File.safe(bytes)
        else {
            throw isChecked
                ? CertificateError(.unreadable, "Its encrypted content is damaged.")
                : CertificateError(.wrongPassphrase, "The passphrase does not open it.")
        }
        return safe
    }
}
