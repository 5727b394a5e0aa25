import Crypto
import Foundation
import Synchronization

/// Signs ID tokens with ES256 (RFC 7515, RFC 7518, 3.4) and publishes its keys.
final class IDTokenSigner: Sendable {
    private struct Key: Sendable {
        let key: P256.Signing.PrivateKey
        let id: String
        let members: [String: JSONValue]

        init() {
            key = P256.Signing.PrivateKey()
            let raw = key.publicKey.rawRepresentation
            let (x, y) = (Base64URL.string(raw.prefix(32)), Base64URL.string(raw.suffix(32)))
            // The thumbprint of RFC 7638.
            let canonical = "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"\(x)\",\"y\":\"\(y)\"}"
            id = Base64URL.string(SHA256.hash(data: Array(canonical.utf8)))
            members = [
                "kty": .text("EC"), "crv": .text("P-256"), "use": .text("sig"), "alg": .text("ES256"),
                "kid": .text(id), "x": .text(x), "y": .text(y),
            ]
        }
    }

    private let keys = Mutex([Key()])
    private let unpublished = Key()

    /// The set of published keys (RFC 7517, 5).
    var keySet: JSONValue {
        .object(["keys": .list(keys.withLock { $0.map { .object($0.members) } })])
    }

    /// Signs with a new key from now on. The old keys stay published.
    func rotate() {
        let key = Key()
        keys.withLock { $0.insert(key, at: 0) }
    }

    /// The subject of a token that this signer has signed; nil for any other text.
    func subject(of token: String) -> String? {
        struct Claims: Decodable { let sub: String }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64URL.bytes(parts[2]),
            let signed = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            keys.withLock({ keys in
                keys.contains {
                    $0.key.publicKey.isValidSignature(signed, for: Array("\(parts[0]).\(parts[1])".utf8))
                }
            }), let claims = Base64URL.bytes(parts[1])
        else { return nil }
        return try? JSONDecoder().decode(Claims.self, from: Data(claims)).sub
    }

    func sign(_ claims: [String: JSONValue], fault: OAuthTokenFault?) throws -> String {
        let key = fault == .unknownKey ? unpublished : keys.withLock { $0[0] }
        let header: [String: JSONValue] =
            fault == .algNone
            ? ["alg": .text("none"), "typ": .text("JWT")]
            : ["alg": .text("ES256"), "typ": .text("JWT"), "kid": .text(key.id)]
        let input = Base64URL.string(try JSONBody.bytes(header)) + "." + Base64URL.string(try JSONBody.bytes(claims))
        if fault == .algNone { return input + "." }
        var signature = Array(try key.key.signature(for: Array(input.utf8)).rawRepresentation)
        if fault == .badSignature { signature[40] ^= 1 }
        return input + "." + Base64URL.string(signature)
    }
}
