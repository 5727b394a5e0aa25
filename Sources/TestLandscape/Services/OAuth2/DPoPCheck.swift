import Crypto
import Foundation
import Synchronization

/// Verifies proofs for bound tokens (DPoP, RFC 9449, 4.3).
final class DPoPCheck: Sendable {
    /// The endpoints that have nonces of their own.
    enum Role: Hashable, Sendable {
        case authorization, resource
    }

    /// The accepted age of a proof without a nonce in seconds.
    private static let window = 300.0
    private static let capacity = 100_000
    private let clock: LandscapeClock
    private let state = Mutex(State())

    private struct State {
        var nonces: [Role: String] = [:]
        var used: Set<String> = []
    }

    private struct Header: Decodable {
        struct Key: Decodable {
            let kty: String
            let crv: String
            let x: String
            let y: String
            let d: String?
        }

        let typ: String
        let alg: String
        let jwk: Key
    }

    private struct Claims: Decodable {
        let jti: String
        let htm: String
        let htu: String
        let iat: Double
        let ath: String?
        let nonce: String?
    }

    init(clock: LandscapeClock) {
        self.clock = clock
    }

    /// The present nonce.
    func nonce(of role: Role) -> String {
        state.withLock { state in
            if let nonce = state.nonces[role] { return nonce }
            let nonce = RandomToken.makeBearer()
            state.nonces[role] = nonce
            return nonce
        }
    }

    /// Makes new nonces. Proofs with the old ones are refused.
    func rotateNonces() { state.withLock { $0.nonces = [:] } }

    func reset() { state.withLock { $0 = State() } }

    /// The thumbprint of the key (RFC 7638) that the request's proof is for; nil if the request has no proof.
    ///
    /// - Parameters:
    ///   - token: the access token that comes with the proof; nil at the token endpoint
    ///   - demandsNonce: whether the proof must have the present nonce
    func thumbprint(_ exchange: ServerExchange, _ role: Role, token: String?, demandsNonce: Bool) throws -> String? {
        let fields = exchange.incoming.fields.filter { $0.name.lowercased() == "dpop" }
        guard let field = fields.first else { return nil }
        let parts = field.value.split(separator: ".", omittingEmptySubsequences: false)
        guard fields.count == 1, parts.count == 3, let header: Header = Self.decode(parts[0]),
            let claims: Claims = Self.decode(parts[1]), let signature = Base64URL.bytes(parts[2])
        else { throw Self.invalid("it cannot be read") }
        guard header.typ == "dpop+jwt", header.alg == "ES256", header.jwk.kty == "EC", header.jwk.crv == "P-256",
            header.jwk.d == nil
        else { throw Self.invalid("its header is wrong") }
        guard let x = Base64URL.bytes(header.jwk.x), let y = Base64URL.bytes(header.jwk.y), x.count == 32,
            let key = try? P256.Signing.PublicKey(rawRepresentation: x + y),
            let signed = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.isValidSignature(signed, for: Array("\(parts[0]).\(parts[1])".utf8))
        else { throw Self.invalid("its signature is wrong") }
        guard claims.htm == exchange.method else { throw Self.invalid("it is for another method") }
        guard claims.htu == exchange.ownBase + exchange.path else { throw Self.invalid("it is for another URL") }
        let hash = token.map { Base64URL.string(SHA256.hash(data: Array($0.utf8))) }
        guard claims.ath == hash else { throw Self.invalid("it is for another access token") }
        if demandsNonce {
            guard claims.nonce == nonce(of: role) else {
                throw OAuthFailure("use_dpop_nonce", "the proof needs the present nonce")
            }
        } else if abs(claims.iat - clock.date.timeIntervalSince1970) > Self.window {
            throw Self.invalid("it is too old, or from the future")
        }
        try take(claims.jti)
        let canonical =
            "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"\(header.jwk.x)\",\"y\":\"\(header.jwk.y)\"}"
        return Base64URL.string(SHA256.hash(data: Array(canonical.utf8)))
    }

    private func take(_ id: String) throws {
        let isNew = state.withLock { state in
            if state.used.count >= Self.capacity { state.used = [] }
            return state.used.insert(id).inserted
        }
        if !isNew { throw Self.invalid("it was used before") }
    }

    private static func invalid(_ why: String) -> OAuthFailure {
        OAuthFailure("invalid_dpop_proof", "the proof is refused: \(why)")
    }

    private static func decode<Value: Decodable>(_ part: Substring) -> Value? {
        Base64URL.bytes(part).flatMap { try? JSONDecoder().decode(Value.self, from: Data($0)) }
    }
}
