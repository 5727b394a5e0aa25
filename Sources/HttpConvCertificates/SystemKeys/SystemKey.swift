package import HttpConvPlatform
package import HttpConversation

/// A private key that stays where the system keeps it: in the keychain, the Secure Enclave or a smart card. Its
/// signer's name has the system's reference to the identity, which is not secret and survives the process.
package struct SystemKey: Hashable, Sendable {
    /// The persistent reference to the identity (`kSecValuePersistentRef`).
    package let reference: [UInt8]

    private static let prefix = "keychain:"
    /// References are some dozens of bytes.
    private static let maximumBytes = 4096

    /// Returns nil for an impossible reference.
    package init?(reference: [UInt8]) {
        guard !reference.isEmpty, reference.count <= Self.maximumBytes else { return nil }
        self.reference = reference
    }

    /// Reads the name of a signer. Returns nil for the signer of another place, such as a PKCS#11 token.
    package init?(signer name: String) {
        guard name.hasPrefix(Self.prefix), name.utf8.count <= 2 * Self.maximumBytes,
            let bytes = Data(base64Encoded: String(name.dropFirst(Self.prefix.count)))
        else { return nil }
        self.init(reference: Array(bytes))
    }

    /// The name of the signer.
    package var signerName: String { Self.prefix + Data(reference).base64EncodedString() }

    /// The way in which URL loading gets an identity.
    package enum Form: Hashable, Sendable {
        /// By the system's reference: the key is not read.
        case system(SystemKey)
        /// As a PKCS#12 file in memory.
        case file
        /// Not supported: URL loading cannot use signatures that are made elsewhere.
        case none
    }

    /// The form for a key.
    package static func form(of key: ClientIdentity.PrivateKey) -> Form {
        switch key.storage {
        case .der: .file
        case .signer(let signer): SystemKey(signer: signer.id).map { .system($0) } ?? .none
        }
    }

    /// The algorithms of TLS that a key signs with, the best first.
    ///
    /// - Parameters:
    ///   - isRSA: whether it is an RSA key; otherwise it is one on an elliptic curve
    ///   - bits: the size of the key
    ///   - supports: whether its place can do it: many smart cards have no PSS
    package static func algorithms(
        isRSA: Bool, bits: Int, supports: (KeySigner.Algorithm) -> Bool
    ) -> [KeySigner.Algorithm] {
        guard !isRSA else { return KeySigner.Algorithm.rsa.filter(supports) }
        // TLS 1.3 has one algorithm per curve (RFC 8446 §4.2.3).
        let best: KeySigner.Algorithm? =
            switch bits {
            case 256: .ecdsaSHA256
            case 384: .ecdsaSHA384
            case 521: .ecdsaSHA512
            default: nil
            }
        guard let best else { return [] }
        return ([best] + KeySigner.Algorithm.ecdsa.filter { $0 != best }).filter(supports)
    }

    /// An identity whose key stays in its place.
    ///
    /// - Parameters:
    ///   - certificates: in DER, the client's own first
    ///   - sign: signs with the key, and may block
    /// - Throws: ``CertificateError/Code/expired``, ``CertificateError/Code/unsupportedKey``, …
    package func identity(
        certificates: [[UInt8]], algorithms: [KeySigner.Algorithm], now: Date,
        sign: @escaping @Sendable (SystemKey, [UInt8], KeySigner.Algorithm) async throws -> [UInt8]
    ) throws(CertificateError) -> ClientIdentity {
        guard let own = certificates.first else {
            throw CertificateError(.unreadable, "The keychain has a key without its certificate.")
        }
        let summary = try IdentityCheck.valid(own, at: now)
        guard !algorithms.isEmpty else {
            throw CertificateError(.unsupportedKey, "The key of the certificate (\(summary)) cannot sign for TLS.")
        }
        let signer = KeySigner(id: signerName, algorithms: algorithms) { message, algorithm in
            try await sign(self, message, algorithm)
        }
        return ClientIdentity(certificates: certificates, privateKey: .signer(signer), summary: summary)
    }
}
