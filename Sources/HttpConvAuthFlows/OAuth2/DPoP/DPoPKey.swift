import Crypto
import HttpConvFormats
public import HttpConvPlatform
public import HttpConversation

/// The key to which access tokens are bound (RFC 9449): each request proves that the client has it. Each set of tokens
/// has a key of its own, of the curve P-256, which is kept with the tokens. Never printed.
public struct DPoPKey: Sendable {
    private let key: P256.Signing.PrivateKey
    /// The thumbprint of the public key, as `dpop_jkt` and `jkt` have it (RFC 9449 §6.1).
    public let thumbprint: String
    let publicKey: PublicKey

    /// The public key (RFC 7517 §4, RFC 7518 §6.2).
    struct PublicKey: Encodable, Sendable {
        let crv = "P-256"
        let kty = "EC"
        let x: String
        let y: String

        /// RFC 7638 §3.
        var thumbprint: String {
            let canonical = "{\"crv\":\"\(crv)\",\"kty\":\"\(kty)\",\"x\":\"\(x)\",\"y\":\"\(y)\"}"
            return Base64URL.text(SHA256.hash(data: Array(canonical.utf8)))
        }
    }

    /// A new key.
    public init() { self.init(P256.Signing.PrivateKey()) }

    /// Reads a key from a storage.
    ///
    /// - Parameter secret: the 32 bytes of ``secret``
    /// - Throws: ``OAuth2Error/Code/storageFailed`` for bytes that are not a key
    public init(secret: Data) throws(OAuth2Error) {
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: secret) else {
            throw OAuth2Error(.storageFailed, "The key that the stored tokens are bound to is damaged.")
        }
        self.init(key)
    }

    private init(_ key: P256.Signing.PrivateKey) {
        self.key = key
        let point = key.publicKey.rawRepresentation
        publicKey = PublicKey(x: Base64URL.text(point.prefix(32)), y: Base64URL.text(point.suffix(32)))
        thumbprint = publicKey.thumbprint
    }

    /// The private key for a storage: a secret.
    public var secret: Redacted<Data> { Redacted(key.rawRepresentation) }

    func signature(of text: [UInt8]) throws(OAuth2Error) -> [UInt8] {
        do { return Array(try key.signature(for: text).rawRepresentation) } catch {
            throw OAuth2Error(.proofRefused, "The key of the tokens cannot sign.")
        }
    }
}

extension DPoPKey: Hashable {
    /// Compares the public keys.
    public static func == (one: DPoPKey, other: DPoPKey) -> Bool { one.thumbprint == other.thumbprint }
    public func hash(into hasher: inout Hasher) { hasher.combine(thumbprint) }
}

extension DPoPKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The thumbprint, without the key.
    public var description: String { "DPoP key \(thumbprint)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["thumbprint": thumbprint]) }
}
