import HttpConvFormats
import HttpConvPlatform
import HttpConversation
import JWTKit

/// Verifies the signature of an ID token: with the keys that the issuer publishes, or the client's secret for HMAC
/// (OpenID Connect Core §3.1.3.7, items 6 to 8).
struct IDTokenSignature: Sendable {
    let configuration: OAuth2Configuration
    let requests: OAuth2Requests

    /// Ignores the claims; ``IDTokenClaims`` checks them.
    private struct AnyClaims: JWTPayload {
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    /// The pauses before a failing server is asked for its keys again, while a login waits for them.
    private static let pauses: [Duration] = [.seconds(1), .seconds(2)]

    /// The issuer's keys, read before the login, so that no person logs in while they cannot be read. Nil if the issuer
    /// publishes no keys, or if they may be unnecessary: tokens for a client with a secret may be signed with that
    /// secret.
    func keysAhead() async throws -> [JSONValue]? {
        guard let endpoint = configuration.keysEndpoint else { return nil }
        do { return try await publishedKeys(at: endpoint) } catch let error as OAuth2Error {
            guard configuration.authentication.secret != nil, !error.isTemporary else { throw error }
            return nil
        }
    }

    /// - Parameter known: the keys that were read a moment ago; the issuer is asked again only for a key that is not
    ///   among them
    /// - Throws: ``OAuth2Error/Code/invalidIDToken``; the errors of fetching keys
    func verify(_ token: Redacted<String>, by known: [JSONValue]? = nil) async throws {
        let header = JSONWebTokenText(token.value)?.header ?? [:]
        let algorithm = header["alg"]?.text ?? "none"
        let keys = JWTKeyCollection()
        if algorithm.hasPrefix("HS") {
            try await addSecret(to: keys, for: algorithm)
        } else {
            // Without published keys, TLS authenticates the token endpoint (item 6).
            guard let endpoint = configuration.keysEndpoint else { return }
            let id = header["kid"]?.text
            var isAdded = false
            // Keys without a name may be others now.
            if let known, id != nil { isAdded = await add(known, named: id, to: keys) }
            if !isAdded { isAdded = await add(try await keysForLogin(at: endpoint), named: id, to: keys) }
            guard isAdded else { throw refused("the key that signed it is not one that \(endpoint.origin) publishes") }
        }
        do {
            _ = try await keys.verify(token.value, as: AnyClaims.self, iteratingKeys: true)
        } catch {
            throw refused("its signature is wrong")
        }
    }

    private func addSecret(to keys: JWTKeyCollection, for algorithm: String) async throws {
        guard let secret = configuration.authentication.secret else {
            throw refused("it is signed with a secret that this client does not have")
        }
        let key = HMACKey(from: secret)
        switch algorithm {
        case "HS256": await keys.add(hmac: key, digestAlgorithm: .sha256)
        case "HS384": await keys.add(hmac: key, digestAlgorithm: .sha384)
        case "HS512": await keys.add(hmac: key, digestAlgorithm: .sha512)
        default: throw refused("its algorithm is unknown")
        }
    }

    /// The issuer's keys for a login that is waiting: a server that fails for a moment is asked again.
    private func keysForLogin(at endpoint: TargetURL) async throws -> [JSONValue] {
        for pause in Self.pauses {
            do { return try await publishedKeys(at: endpoint) } catch let error as OAuth2Error where error.isTemporary {
                try await requests.clock.sleep(for: pause)
            }
        }
        return try await publishedKeys(at: endpoint)
    }

    private func publishedKeys(at endpoint: TargetURL) async throws -> [JSONValue] {
        let answer = try await requests.get(endpoint)
        guard case .array(let published)? = try answer.success()["keys"] else {
            throw answer.error(.discoveryFailed, "\(endpoint) publishes no keys.")
        }
        return published
    }

    /// Adds only the named key; JWTKit would fall back to another one for an unknown key.
    ///
    /// - Returns: whether there is one
    private func add(_ published: [JSONValue], named id: String?, to keys: JWTKeyCollection) async -> Bool {
        var count = 0
        for key in published {
            guard case .object(let key) = key, var members = Self.publicMembers(key), members["kty"]?.text != "oct",
                members["use"]?.text != "enc", id == nil || members["kid"]?.text == id
            else { continue }
            guard count < Self.maximumKeys else { break }
            // JWTKit requires every key to have an id, which the standard does not.
            if members["kid"]?.text == nil { members["kid"] = .string("unnamed-\(count)") }
            guard let data = try? JSONEncoder().encode(JSONValue.object(members)),
                let jwk = try? JSONDecoder().decode(JWK.self, from: data), (try? await keys.add(jwk: jwk)) != nil
            else { continue }
            count += 1
        }
        return count > 0
    }

    /// The maximum number of keys that a signature is compared with.
    private static let maximumKeys = 100
    /// The maximum length of a member: a modulus of 16,384 bits in Base64url.
    private static let maximumMember = 2732
    private static let publicNames: Set = ["kty", "kid", "alg", "use", "crv", "n", "e", "x", "y"]

    /// The members of a public key (RFC 7518 §6); nil if one is too long.
    ///
    /// With the private exponent of an RSA key, JWTKit computes the primes, which never ends for some numbers.
    private static func publicMembers(_ key: [String: JSONValue]) -> [String: JSONValue]? {
        let members = key.filter { publicNames.contains($0.key) }
        return members.values.allSatisfy { ($0.text?.utf8.count ?? 0) <= maximumMember } ? members : nil
    }

    private func refused(_ why: String) -> OAuth2Error { .refusedIDToken(configuration, why) }
}
