import Crypto
import CryptoExtras
import Foundation
import HttpC
import HttpConvFormats
import TestSupport
import Testing

@testable import HttpConvAuthFlows

/// Private keys for assertions, as openssl creates them.
@Suite("OAuth2: client keys", .timeLimit(.minutes(1))) struct ClientKeyTests {
    /// The kinds that can sign, by openssl's options, with their algorithms.
    static let kinds: [(options: String, algorithm: OAuth2ClientKey.Algorithm)] = [
        ("-algorithm RSA -pkeyopt rsa_keygen_bits:2048", .rs256),
        ("-algorithm EC -pkeyopt ec_paramgen_curve:P-256", .es256),
        ("-algorithm ED25519", .edDSA),
    ]

    /// A key in PEM, and its public half.
    static func make(_ options: String) async throws -> (key: [UInt8], publicKey: String) {
        let made = try await Program.run("/bin/sh", ["-c", "openssl genpkey \(options)"])
        #expect(made.status == 0, "\(made.errors)")
        let half = try await Program.run(
            "/bin/sh", ["-c", "exec openssl pkey -pubout"], input: made.output)
        return (Array(made.output), half.text)
    }

    @Test(arguments: kinds) func aKeyKnowsItsAlgorithm(
        options: String, algorithm: OAuth2ClientKey.Algorithm
    ) async throws {
        let key = try OAuth2ClientKey(.pem(try await Self.make(options).key), id: "k1")
        #expect(key.algorithm == algorithm)
        let assertion = try await ClientAssertion(clientID: "c", audience: "https://idp.example").signed(by: key).value
        let parts = assertion.split(separator: ".").compactMap { Base64URL.bytes($0) }
        let header = try #require(JSONValue.object(parts[0]))
        #expect(header["alg"]?.text == algorithm.rawValue)
        #expect(header["kid"]?.text == "k1")
        let claims = try #require(JSONValue.object(parts[1]))
        #expect(claims["iss"]?.text == "c")
        #expect(claims["sub"]?.text == "c")
        #expect(claims["aud"]?.text == "https://idp.example")
        let lifetime = try #require(claims["exp"]?.number) - #require(claims["iat"]?.number)
        #expect((1...120).contains(lifetime))
        let other = try await ClientAssertion(clientID: "c", audience: "https://idp.example").signed(by: key).value
        let claimsOfOther = JSONValue.object(Base64URL.bytes(other.split(separator: ".")[1]) ?? [])
        #expect(claimsOfOther?["jti"]?.text != claims["jti"]?.text)
    }

    /// Keys that are too short, other curves, and data that is not a key.
    @Test(arguments: [
        "-algorithm RSA -pkeyopt rsa_keygen_bits:1024", "-algorithm EC -pkeyopt ec_paramgen_curve:P-384",
        "-algorithm X25519", "-algorithm ED448",
    ]) func otherKindsAreRefused(options: String) async throws {
        let pem = try await Self.make(options).key
        #expect { try OAuth2ClientKey(.pem(pem)) } throws: { ($0 as? OAuth2Error)?.code == .clientKeyUnusable }
    }

    @Test func everyPrefixAndEveryBitOfAKeyIsAnErrorOrAKey() async throws {
        for kind in Self.kinds {
            let pem = String(decoding: try await Self.make(kind.options).key, as: UTF8.self)
            let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
            let der = Array(try #require(Data(base64Encoded: lines.joined())))
            for count in 0..<der.count {
                #expect { try OAuth2ClientKey(.der(Array(der.prefix(count)))) } throws: {
                    ($0 as? OAuth2Error)?.code == .clientKeyUnusable
                }
            }
            for index in stride(from: 0, to: min(der.count, 120), by: 1) {
                var damaged = der
                damaged[index] ^= 0x55
                _ = try? await OAuth2ClientKey(.der(damaged)).signature(of: [1])
            }
        }
    }

    @Test func theAlgorithmHasToFit() async throws {
        let rsa = ClientIdentity.PrivateKey.der(try await Self.der(Self.kinds[0].options))
        #expect(try OAuth2ClientKey(rsa, algorithm: .ps256).algorithm == .ps256)
        #expect { try OAuth2ClientKey(rsa, algorithm: .es256) } throws: {
            ($0 as? OAuth2Error)?.code == .clientKeyUnusable
        }
        #expect { try OAuth2ClientKey(rsa, id: "") } throws: { ($0 as? OAuth2Error)?.code == .clientKeyUnusable }
    }

    /// A key that cannot be read signs where it is.
    @Test func aSignerOfP256() async throws {
        let secret = P256.Signing.PrivateKey()
        let signer = KeySigner(id: "card", algorithms: KeySigner.Algorithm.ecdsa) { message, algorithm in
            #expect(algorithm == .ecdsaSHA256)
            return Array(try secret.signature(for: message).derRepresentation)
        }
        let key = try OAuth2ClientKey(.signer(signer), id: "k1")
        #expect(key.algorithm == .es256)
        let (text, signature) = try await Self.assertion(key)
        #expect(signature.count == 64)
        let numbers = try P256.Signing.ECDSASignature(rawRepresentation: signature)
        #expect(secret.publicKey.isValidSignature(numbers, for: text))
        #expect { try OAuth2ClientKey(.signer(signer), algorithm: .rs256) } throws: {
            ($0 as? OAuth2Error)?.code == .clientKeyUnusable
        }
    }

    @Test(arguments: [nil, .ps256] as [OAuth2ClientKey.Algorithm?])
    func aSignerOfRSA(algorithm: OAuth2ClientKey.Algorithm?) async throws {
        let secret = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let padding: _RSA.Signing.Padding = algorithm == .ps256 ? .PSS : .insecurePKCS1v1_5
        let signer = KeySigner(id: "card", algorithms: KeySigner.Algorithm.rsa) { message, used in
            #expect(used == (algorithm == .ps256 ? .rsaPSSSHA256 : .rsaPKCS1SHA256))
            return Array(try secret.signature(for: SHA256.hash(data: message), padding: padding).rawRepresentation)
        }
        let key = try OAuth2ClientKey(.signer(signer), algorithm: algorithm)
        #expect(key.algorithm == algorithm ?? .rs256)
        let (text, signature) = try await Self.assertion(key)
        #expect(
            secret.publicKey.isValidSignature(
                .init(rawRepresentation: signature), for: SHA256.hash(data: text), padding: padding))
    }

    /// A signer of another curve, one that fails, one that is cancelled, and one without an algorithm of ours.
    @Test func aSignerThatCannotSign() async throws {
        struct Removed: Error {}
        let other = P384.Signing.PrivateKey()
        let curve = KeySigner(id: "a", algorithms: [.ecdsaSHA256]) { message, _ in
            Array(try other.signature(for: SHA256.hash(data: message)).derRepresentation)
        }
        let removed = KeySigner(id: "b", algorithms: [.ecdsaSHA256]) { _, _ in throw Removed() }
        let cancelled = KeySigner(id: "c", algorithms: [.ecdsaSHA256]) { _, _ in throw CancellationError() }
        await #expect { try await Self.assertion(OAuth2ClientKey(.signer(curve))) } throws: {
            ($0 as? OAuth2Error)?.code == .clientKeyUnusable && "\($0)".contains("P-256")
        }
        await #expect { try await Self.assertion(OAuth2ClientKey(.signer(removed))) } throws: {
            ($0 as? OAuth2Error)?.code == .clientKeyUnusable && ($0 as? OAuth2Error)?.underlyingError is Removed
        }
        await #expect(throws: CancellationError.self) {
            try await Self.assertion(OAuth2ClientKey(.signer(cancelled)))
        }
        let large = KeySigner(id: "d", algorithms: [.ecdsaSHA384]) { _, _ in [] }
        #expect { try OAuth2ClientKey(.signer(large)) } throws: {
            ($0 as? OAuth2Error)?.code == .clientKeyUnusable
        }
    }

    /// The signed text of an assertion, and its signature.
    private static func assertion(_ key: OAuth2ClientKey) async throws -> (text: [UInt8], signature: [UInt8]) {
        let token = try await ClientAssertion(clientID: "c", audience: "a").signed(by: key).value
        let end = try #require(token.lastIndex(of: "."))
        return (Array(token[..<end].utf8), try #require(Base64URL.bytes(token[token.index(after: end)...])))
    }

    @Test func passphrases() async throws {
        let pem = try await Self.make("-algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes256 -pass pass:sesame").key
        #expect(try OAuth2ClientKey(.pem(pem, passphrase: "sesame")).algorithm == .es256)
        for passphrase in ["", "wrong"] {
            #expect { try ClientIdentity.PrivateKey.pem(pem, passphrase: passphrase) } throws: {
                ($0 as? CertificateError)?.code == .wrongPassphrase
            }
        }
    }

    @Test func nothingOfAKeyIsPrinted() async throws {
        let der = try await Self.der(Self.kinds[1].options)
        let key = try OAuth2ClientKey(.der(der))
        var dumped = ""
        dump(OAuth2ClientAuthentication.privateKeyJWT(key), to: &dumped)
        dump(key, to: &dumped)
        dump(try await ClientAssertion(clientID: "c", audience: "a").signed(by: key), to: &dumped)
        #expect(dumped.contains("ES256"))
        #expect(!dumped.contains("eyJ"))
        #expect(!dumped.contains(der.map(String.init).prefix(12).joined(separator: ", ")))
        #expect(dumped.utf8.count < 400)
    }

    private static func der(_ options: String) async throws -> [UInt8] {
        let pem = String(decoding: try await make(options).key, as: UTF8.self)
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return Array(try #require(Data(base64Encoded: lines.joined())))
    }
}
