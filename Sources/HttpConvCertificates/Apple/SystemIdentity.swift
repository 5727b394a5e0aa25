#if canImport(Security) && !os(Linux)
import HttpConvConcurrency
import HttpConvPlatform
import HttpConversation
import Security

/// An identity of the system: its certificate, and its key, which is used and never read. Each call blocks.
struct SystemIdentity {
    let identity: SecIdentity
    private let key: SecKey

    /// Finds an identity by its label.
    ///
    /// - Parameter attributes: where to search
    /// - Returns: the identity and its persistent reference; nil if there is none
    static func find(_ label: String, _ attributes: [CFString: Any]) throws -> (SystemIdentity, SystemKey)? {
        var query: [CFString: Any] = [
            kSecClass: kSecClassIdentity, kSecAttrLabel: label, kSecReturnRef: true, kSecReturnPersistentRef: true,
            kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll,
        ]
        query.merge(attributes) { $1 }
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let entries = found as? [[CFString: Any]] else {
            throw CertificateError(.unreadable, "The keychain does not give the certificate (status \(status)).")
        }
        guard let chosen = try FoundIdentity.choose(label, of: entries.compactMap(Self.found), now: Date()) else {
            return nil
        }
        return (try SystemIdentity(chosen.key), chosen.key)
    }

    private static func found(_ entry: [CFString: Any]) -> FoundIdentity? {
        guard let reference = entry[kSecValuePersistentRef] as? Data, let key = SystemKey(reference: Array(reference)),
            let value = entry[kSecValueRef], let identity = try? identity(value as AnyObject),
            let certificate = try? certificate(of: identity)
        else { return nil }
        var name: CFString?
        _ = SecCertificateCopyCommonName(certificate, &name)
        return FoundIdentity(
            names: [entry[kSecAttrLabel] as? String, name.map { $0 as String }].compactMap { $0 },
            certificate: Array(SecCertificateCopyData(certificate) as Data), key: key)
    }

    /// The identity that a key's reference leads to.
    init(_ key: SystemKey) throws {
        let query: [CFString: Any] = [
            kSecClass: kSecClassIdentity, kSecValuePersistentRef: Data(key.reference), kSecReturnRef: true,
        ]
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        guard status == errSecSuccess, let found else {
            throw CertificateError(
                .unreadable, "The certificate is no longer in the keychain, or its card was removed (status \(status))."
            )
        }
        try self.init(found)
    }

    private init(_ value: AnyObject) throws {
        identity = try Self.identity(value)
        var key: SecKey?
        guard SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess, let key else {
            throw CertificateError(.certificateWithoutKey, "The keychain has no private key for the certificate.")
        }
        self.key = key
    }

    private static func identity(_ value: AnyObject) throws -> SecIdentity {
        guard CFGetTypeID(value) == SecIdentityGetTypeID() else {
            throw CertificateError(.unreadable, "The keychain gives something else than a certificate.")
        }
        // A conditional cast does not work with CoreFoundation types.
        return unsafeDowncast(value, to: SecIdentity.self)
    }

    func certificate() throws -> [UInt8] { Array(SecCertificateCopyData(try Self.certificate(of: identity)) as Data) }

    private static func certificate(of identity: SecIdentity) throws -> SecCertificate {
        var certificate: SecCertificate?
        guard SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess, let certificate else {
            throw CertificateError(.unreadable, "The keychain does not give the certificate of a key.")
        }
        return certificate
    }

    var algorithms: [KeySigner.Algorithm] {
        let attributes = SecKeyCopyAttributes(key) as? [CFString: Any] ?? [:]
        let isRSA = attributes[kSecAttrKeyType] as? String == kSecAttrKeyTypeRSA as String
        return SystemKey.algorithms(isRSA: isRSA, bits: attributes[kSecAttrKeySizeInBits] as? Int ?? 0) {
            SecKeyIsAlgorithmSupported(key, .sign, $0.ofSystem)
        }
    }

    /// Signs with a key, wherever it is. The system may ask the person.
    static func sign(_ key: SystemKey, _ message: [UInt8], _ algorithm: KeySigner.Algorithm) async throws -> [UInt8] {
        try await Blocking.run {
            let found = try SystemIdentity(key)
            guard let signature = SecKeyCreateSignature(found.key, algorithm.ofSystem, Data(message) as CFData, nil)
            else { throw CertificateError(.unsupportedKey, "The system did not sign with the certificate's key.") }
            return Array(signature as Data)
        }
    }
}

extension KeySigner.Algorithm {
    /// The system's name: it hashes the message itself.
    fileprivate var ofSystem: SecKeyAlgorithm {
        switch self {
        case .rsaPKCS1SHA256: .rsaSignatureMessagePKCS1v15SHA256
        case .rsaPKCS1SHA384: .rsaSignatureMessagePKCS1v15SHA384
        case .rsaPKCS1SHA512: .rsaSignatureMessagePKCS1v15SHA512
        case .rsaPSSSHA256: .rsaSignatureMessagePSSSHA256
        case .rsaPSSSHA384: .rsaSignatureMessagePSSSHA384
        case .rsaPSSSHA512: .rsaSignatureMessagePSSSHA512
        case .ecdsaSHA256: .ecdsaSignatureMessageX962SHA256
        case .ecdsaSHA384: .ecdsaSignatureMessageX962SHA384
        case .ecdsaSHA512: .ecdsaSignatureMessageX962SHA512
        }
    }
}
#endif
