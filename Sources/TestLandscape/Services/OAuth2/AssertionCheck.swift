import Crypto
import CryptoExtras
import Foundation
import Synchronization

/// Verifies assertions of clients, with which they authenticate or ask for a person's tokens (RFC 7523, 3). Each is
/// valid once, for a short time, for one server.
final class AssertionCheck: Sendable {
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// The maximum lifetime of an assertion in seconds. A longer one is not meant for a single request.
    private static let longestLifetime = 300.0
    private let clock: LandscapeClock
    private let used = Mutex<Set<String>>([])

    init(clock: LandscapeClock) { self.clock = clock }

    private struct Header: Decodable {
        let alg: String
        let kid: String?
    }

    private struct Claims: Decodable {
        let iss: String
        let sub: String
        /// The audience. A list is refused, because the assertion would be valid at other servers, too.
        let aud: String
        let exp: Double
        let jti: String
    }

    /// The client that the assertion authenticates.
    ///
    /// - Parameter issuer: the issuer of the requested server, which is the only accepted audience
    func client(_ assertion: String, issuer: String, clients: OAuthClientDirectory) throws -> OAuthClient {
        let (client, subject) = try signer(of: assertion, issuer: issuer, clients: clients)
        guard client.id == subject else { throw OAuthFailure.invalidClient }
        return client
    }

    /// The client that signed the assertion, and the assertion's subject.
    func signer(
        of assertion: String, issuer: String, clients: OAuthClientDirectory
    ) throws -> (client: OAuthClient, subject: String) {
        let parts = assertion.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header: Header = Self.decode(parts[0]), let claims: Claims = Self.decode(parts[1]),
            let signature = Base64URL.bytes(parts[2]), let client = clients[claims.iss]
        else { throw OAuthFailure.invalidClient }
        let text = Array("\(parts[0]).\(parts[1])".utf8)
        let keys = header.kid.map { [client.publicKeys[$0]].compactMap { $0 } } ?? Array(client.publicKeys.values)
        guard keys.contains(where: { Self.isValid(signature, of: text, algorithm: header.alg, key: $0) }) else {
            throw OAuthFailure.invalidClient
        }
        let now = clock.date.timeIntervalSince1970
        guard claims.aud == issuer, claims.exp > now, claims.exp <= now + Self.longestLifetime,
            used.withLock({ $0.insert("\(claims.iss) \(claims.jti)").inserted })
        else { throw OAuthFailure.invalidClient }
        return (client, claims.sub)
    }

    func reset() { used.withLock { $0.removeAll() } }

    private static func decode<Value: Decodable>(_ part: Substring) -> Value? {
        Base64URL.bytes(part).flatMap { try? JSONDecoder().decode(Value.self, from: Data($0)) }
    }

    private static func isValid(_ signature: [UInt8], of text: [UInt8], algorithm: String, key: String) -> Bool {
        switch algorithm {
        case "ES256":
            guard let key = try? P256.Signing.PublicKey(pemRepresentation: key),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: text)
        case "RS256", "PS256":
            guard let key = try? _RSA.Signing.PublicKey(pemRepresentation: key) else { return false }
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: text),
                padding: algorithm == "PS256" ? .PSS : .insecurePKCS1v1_5)
        case "EdDSA":
            // SubjectPublicKeyInfo (RFC 8410, 4): twelve bytes, and the key.
            let lines = key.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
            guard let der = Data(base64Encoded: lines.joined()), der.count == 44,
                let key = try? Curve25519.Signing.PublicKey(rawRepresentation: der.suffix(32))
            else { return false }
            return key.isValidSignature(signature, for: text)
        default: return false
        }
    }
}
