import Crypto
import Foundation
import HTTPTypes
import HttpConvFormats
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: signatures of ID tokens", .timeLimit(.minutes(1)))
struct IDTokenSignatureTests {
    private let key = P256.Signing.PrivateKey()

    private func part(_ text: String) -> String { Base64URL.text(Array(text.utf8)) }

    /// Signs without the package that verifies.
    private func token(
        _ header: String, claims: String = #"{"sub":"alice"}"#, by key: P256.Signing.PrivateKey
    ) throws -> Redacted<String> {
        let input = "\(part(header)).\(part(claims))"
        let signature = try key.signature(for: Array(input.utf8)).rawRepresentation
        return Redacted("\(input).\(Base64URL.text(signature))")
    }

    private func jwk(_ key: P256.Signing.PrivateKey, _ id: String?, _ extra: String = "") -> String {
        let point = Array(key.publicKey.rawRepresentation)
        let kid = id.map { ",\"kid\":\"\($0)\"" } ?? ""
        return """
            {"kty":"EC","crv":"P-256","x":"\(Base64URL.text(point[..<32]))",\
            "y":"\(Base64URL.text(point[32...]))","alg":"ES256"\(kid)\(extra)}
            """
    }

    private func verify(
        _ token: Redacted<String>, keys: String?, _ client: OAuth2ClientAuthentication = .none
    ) async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok, body: "{\"keys\":[\(keys ?? "")]}") }
        let configuration = try OAuth2Configuration(
            clientID: "native", authentication: client, tokenEndpoint: "https://auth.example.com/token",
            keysEndpoint: keys.map { _ in "https://auth.example.com/keys" }, grant: OAuth2Bench.code())
        let context = HttpConversationManager(transport: transport).detachedContext(for: configuration.tokenEndpoint)
        try await IDTokenSignature(configuration: configuration, requests: OAuth2Requests(context)).verify(token)
    }

    private func expectRefusal(_ token: Redacted<String>, keys: String?, _ client: OAuth2ClientAuthentication = .none)
        async
    {
        await #expect { try await verify(token, keys: keys, client) } throws: {
            ($0 as? OAuth2Error)?.code == .invalidIDToken
        }
    }

    @Test func aPublishedKeyIsTaken() async throws {
        let signed = try token(#"{"alg":"ES256","kid":"a"}"#, by: key)
        let other = P256.Signing.PrivateKey()
        // Keys of unknown kinds do not affect the others.
        let strange = #"{"kty":"XYZ","kid":"x"},{"kty":"RSA","kid":"e","use":"enc","alg":"RSA-OAEP"}"#
        try await verify(signed, keys: "\(strange),\(jwk(other, "b")),\(jwk(key, "a"))")
        let unnamed = try token(#"{"alg":"ES256"}"#, by: key)
        try await verify(unnamed, keys: "\(jwk(other, nil)),\(jwk(key, nil))")
    }

    @Test func anUnknownKeyIsRefused() async throws {
        let signed = try token(#"{"alg":"ES256","kid":"c"}"#, by: key)
        // Refused even if the key itself would match: it is published under another name.
        await expectRefusal(signed, keys: jwk(key, "a"))
        await expectRefusal(signed, keys: jwk(P256.Signing.PrivateKey(), "c"))
        await expectRefusal(signed, keys: jwk(key, "c", #","use":"enc""#))
        await expectRefusal(signed, keys: "")
    }

    /// The prime of RFC 3526 §3 as the modulus and the private exponent: JWTKit would look for its factors for ever.
    private static let prime = """
        ___________JD9qiIWjCNMTGYouA3BzRKQJOCIpnzHQCC76mOxObIlFKCHmONATd75UZs806QxswKwpt\
        8l8UN0_hNW1tUcJF5IW1dmJefsb0TELppjftawv_XLb0Brft7jhr-1qJn6WunyQRfEsf5kkoZlHs5Fs9\
        wgB8uKFjvwWY2kg2HFXTmmkWP6j9JM9fg2VdI9yjrZYcYvNWIIVSu57VKQdwlpZtZww1Tkq8mATxdGwI\
        yhghfDKQXkYuNs474553LBgOhgObJ4Oi7Aeij7XFXfBvTFLJ3ivL9pVYFxg5lUl86pVq5RXSJhiY-gUQ\
        FXKOWoqsqmj__________w
        """

    /// Only the public members of a key are used.
    @Test(arguments: [prime, String(repeating: "A", count: 500_000)])
    func aPublishedPrivateKeyIsRefused(number: String) async throws {
        let signed = "\(part(#"{"alg":"RS256","kid":"a"}"#)).\(part(#"{"sub":"alice"}"#)).\(Self.prime)"
        let published = #"{"kty":"RSA","kid":"a","alg":"RS256","n":"\#(number)","e":"AQ","d":"\#(number)"}"#
        await expectRefusal(Redacted(signed), keys: published)
        // The other keys go on counting.
        try await verify(
            try token(#"{"alg":"ES256","kid":"b"}"#, by: key), keys: "\(published),\(jwk(key, "b", #","d":"AQ""#))")
    }

    @Test func aChangedTokenIsRefused() async throws {
        let signed = try token(#"{"alg":"ES256","kid":"a"}"#, by: key)
        let parts = signed.value.split(separator: ".").map(String.init)
        let changed = "\(parts[0]).\(part(#"{"sub":"mallory"}"#)).\(parts[2])"
        await expectRefusal(Redacted(changed), keys: jwk(key, "a"))
    }

    @Test(arguments: ["none", "None", "ES999"]) func anAlgorithmThatProvesNothingIsRefused(name: String) async throws {
        let signed = try token("{\"alg\":\"\(name)\",\"kid\":\"a\"}", by: key)
        let parts = signed.value.split(separator: ".").map(String.init)
        await expectRefusal(Redacted("\(parts[0]).\(parts[1])."), keys: jwk(key, "a"))
    }

    /// The key for HMAC is the client's own secret, never one that the server publishes.
    @Test func symmetricKeys() async throws {
        let input = "\(part(#"{"alg":"HS256"}"#)).\(part(#"{"sub":"alice"}"#))"
        let secret = "0123456789abcdef0123456789abcdef"
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(input.utf8), using: SymmetricKey(data: Array(secret.utf8)))
        let signed = Redacted("\(input).\(Base64URL.text(code))")
        try await verify(signed, keys: nil, .basic(secret: secret))
        await expectRefusal(signed, keys: nil, .basic(secret: secret + "x"))
        let published = "{\"kty\":\"oct\",\"alg\":\"HS256\",\"k\":\"\(part(secret))\"}"
        await expectRefusal(signed, keys: published)
    }
}
