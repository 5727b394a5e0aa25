import Crypto
import CryptoExtras
import HttpConvPlatform
public import HttpConversation

/// The private key with which a client signs its assertions (RFC 7523 §2.2), for `private_key_jwt`. Never printed.
///
/// ```swift
/// let key = try OAuth2ClientKey(.pem(bytes, passphrase: passphrase), id: "2026-07")
/// ```
/// `HttpConvCertificates` reads keys from PEM and DER. A key that cannot be read, such as one in a hardware module,
/// signs each assertion where it is, by a `KeySigner`:
///
/// ```swift
/// let key = try OAuth2ClientKey(.signer(module), id: "2026-07")
/// ```
public struct OAuth2ClientKey: Sendable {
    /// The algorithm for signatures (RFC 7518 §3.1, RFC 8037 §3.1).
    public enum Algorithm: String, CaseIterable, Sendable {
        /// RSA, PKCS#1 v1.5, SHA-256.
        case rs256 = "RS256"
        /// RSA, PSS, SHA-256.
        case ps256 = "PS256"
        /// ECDSA with the curve P-256 and SHA-256.
        case es256 = "ES256"
        /// Ed25519.
        case edDSA = "EdDSA"
    }

    private enum Key: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case signer(KeySigner)
    }

    /// The algorithm for signatures.
    public let algorithm: Algorithm
    /// The key's id at the server (`kid`); nil if the server needs none.
    public let id: String?
    private let key: Key
    private let bytes: ClientIdentity.PrivateKey

    /// Creates a client key, and detects its kind.
    ///
    /// - Parameters:
    ///   - key: RSA with at least 2048 bits, the curve P-256, or Ed25519; a signer: RSA or the curve P-256
    ///   - id: the key's id at the server
    ///   - algorithm: the algorithm for signatures; nil: RS256, ES256 or EdDSA, by the kind of the key
    /// - Throws: ``OAuth2Error/Code/clientKeyUnusable``
    public init(
        _ key: ClientIdentity.PrivateKey, id: String? = nil, algorithm: Algorithm? = nil
    ) throws(OAuth2Error) {
        guard let (found, fits) = Self.find(key) else {
            throw Self.unusable(
                "cannot sign assertions: RSA with 2048 bits or more, P-256 and Ed25519 are supported, in DER or PEM, "
                    + "and signers for RSA and P-256 with SHA-256")
        }
        if let algorithm, !fits.contains(algorithm) {
            throw Self.unusable("does not fit the algorithm \(algorithm.rawValue)")
        }
        if let id, id.isEmpty { throw Self.unusable("has an empty id: leave it out") }
        self.key = found
        self.algorithm = algorithm ?? fits[0]
        self.id = id
        self.bytes = key
    }

    /// The key, and its algorithms, the default one first.
    private static func find(_ key: ClientIdentity.PrivateKey) -> (Key, [Algorithm])? {
        switch key.storage {
        case .der(let bytes): return find(bytes.value)
        case .signer(let signer):
            let fits = [Algorithm.es256, .rs256, .ps256].filter { algorithm in
                algorithm.signing.map { signer.algorithms.contains($0) } ?? false
            }
            return fits.isEmpty ? nil : (.signer(signer), fits)
        }
    }

    private static func find(_ der: [UInt8]) -> (Key, [Algorithm])? {
        guard !der.isEmpty else { return nil }
        if let key = ed25519(der) { return (.ed25519(key), [.edDSA]) }
        if let key = try? P256.Signing.PrivateKey(derRepresentation: der) { return (.p256(key), [.es256]) }
        if let key = try? _RSA.Signing.PrivateKey(derRepresentation: der) { return (.rsa(key), [.rs256, .ps256]) }
        return nil
    }

    /// PKCS#8 (RFC 8410 §7): a sequence, the version, the algorithm, the key, and perhaps attributes.
    private static func ed25519(_ der: [UInt8]) -> Curve25519.Signing.PrivateKey? {
        let algorithm: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]
        guard der.count >= 48, der[0] == 0x30, Int(der[1]) == der.count - 2, der[2...3] == [0x02, 0x01],
            der[5..<16].elementsEqual(algorithm)
        else { return nil }
        return try? Curve25519.Signing.PrivateKey(rawRepresentation: der[16..<48])
    }

    /// The signature of a JSON web signature (RFC 7515 §5.1) over these bytes.
    ///
    /// - Throws: `OAuth2Error`; `CancellationError` from a signer
    func signature(of text: [UInt8]) async throws -> [UInt8] {
        do {
            switch key {
            case .rsa(let key):
                let padding: _RSA.Signing.Padding = algorithm == .ps256 ? .PSS : .insecurePKCS1v1_5
                return Array(try key.signature(for: SHA256.hash(data: text), padding: padding).rawRepresentation)
            case .p256(let key): return Array(try key.signature(for: text).rawRepresentation)
            case .ed25519(let key): return Array(try key.signature(for: text))
            case .signer(let signer):
                guard let signing = algorithm.signing else { throw Self.unusable("cannot sign") }
                let signature = try await signer.sign(text, signing)
                guard algorithm == .es256 else { return signature }
                // The two numbers, 32 bytes each (RFC 7518 §3.4): other curves have longer ones.
                guard let numbers = try? P256.Signing.ECDSASignature(derRepresentation: signature) else {
                    throw Self.unusable("does not sign with the curve P-256, which ES256 needs")
                }
                return Array(numbers.rawRepresentation)
            }
        } catch let error where error is OAuth2Error || error is CancellationError {
            throw error
        } catch {
            throw OAuth2Error(
                .clientKeyUnusable, "The private key of the client cannot sign.", underlyingError: error)
        }
    }

    private static func unusable(_ why: String) -> OAuth2Error {
        OAuth2Error(.clientKeyUnusable, "The private key of the client \(why).")
    }
}

extension OAuth2ClientKey.Algorithm {
    /// The same signature in TLS; nil if a signer has none.
    fileprivate var signing: KeySigner.Algorithm? {
        switch self {
        case .rs256: .rsaPKCS1SHA256
        case .ps256: .rsaPSSSHA256
        case .es256: .ecdsaSHA256
        case .edDSA: nil
        }
    }
}

extension OAuth2ClientKey: Hashable {
    /// Compares key, id and algorithm.
    public static func == (one: OAuth2ClientKey, other: OAuth2ClientKey) -> Bool {
        one.bytes == other.bytes && one.id == other.id && one.algorithm == other.algorithm
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(algorithm)
    }
}

extension OAuth2ClientKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The algorithm, without the key.
    public var description: String { "private key for \(algorithm.rawValue)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["algorithm": algorithm.rawValue]) }
}
