/// A private key that signs and cannot be read, such as one on a smart card.
///
/// ``ClientIdentity/PrivateKey/signer(_:)`` makes a client certificate's key of it. A transport signs the TLS handshake
/// with it: on other threads than its own, so a slow signature delays only the connection that needs it.
public struct KeySigner: Sendable {
    /// A signature algorithm of TLS (RFC 8446 §4.2.3), with its number there.
    public enum Algorithm: UInt16, CaseIterable, Sendable {
        /// RSA with PKCS#1 1.5 padding and SHA-256: TLS 1.2 only.
        case rsaPKCS1SHA256 = 0x0401
        /// RSA with PKCS#1 1.5 padding and SHA-384: TLS 1.2 only.
        case rsaPKCS1SHA384 = 0x0501
        /// RSA with PKCS#1 1.5 padding and SHA-512: TLS 1.2 only.
        case rsaPKCS1SHA512 = 0x0601
        /// ECDSA with SHA-256: in TLS 1.3 for P-256 only, in TLS 1.2 for every curve (RFC 8422 §5.1.3).
        case ecdsaSHA256 = 0x0403
        /// ECDSA with SHA-384: in TLS 1.3 for P-384 only.
        case ecdsaSHA384 = 0x0503
        /// ECDSA with SHA-512: in TLS 1.3 for P-521 only.
        case ecdsaSHA512 = 0x0603
        /// RSA with PSS padding and SHA-256.
        case rsaPSSSHA256 = 0x0804
        /// RSA with PSS padding and SHA-384.
        case rsaPSSSHA384 = 0x0805
        /// RSA with PSS padding and SHA-512.
        case rsaPSSSHA512 = 0x0806

        /// All algorithms for RSA keys.
        public static let rsa: [Algorithm] = [
            .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512, .rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512,
        ]
        /// All algorithms for keys on elliptic curves.
        public static let ecdsa: [Algorithm] = [.ecdsaSHA256, .ecdsaSHA384, .ecdsaSHA512]
    }

    /// The name of the key. Two signers with one name are the same key.
    public let id: String
    /// The algorithms that fit the key.
    public let algorithms: [Algorithm]
    private let body: @Sendable (_ message: [UInt8], Algorithm) async throws -> [UInt8]

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - id: the name of the key; not a secret
    ///   - algorithms: the algorithms that fit the key
    ///   - sign: signs a message that has not been hashed. The signature has the form of TLS: ECDSA's in DER. May take
    ///     long, and must not block the thread that it is called on
    public init(
        id: String, algorithms: [Algorithm],
        sign: @escaping @Sendable (_ message: [UInt8], _ algorithm: Algorithm) async throws -> [UInt8]
    ) {
        self.id = id
        self.algorithms = algorithms
        body = sign
    }

    /// Signs a message that has not been hashed.
    ///
    /// - Throws: the error of the key's place
    public func sign(_ message: [UInt8], _ algorithm: Algorithm) async throws -> [UInt8] {
        try await body(message, algorithm)
    }
}

extension KeySigner: Hashable {
    /// Compares the names.
    public static func == (one: KeySigner, other: KeySigner) -> Bool { one.id == other.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension KeySigner: CustomStringConvertible, CustomReflectable {
    /// The name of the key.
    public var description: String { "key \(id)" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
