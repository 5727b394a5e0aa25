#if os(Linux)
import CPKCS11
import Crypto
import CryptoExtras
import HttpConversation
import SwiftASN1
import X509

/// The signatures of one key: makes the token's input from a message, and the signature for TLS from the token's
/// output.
///
/// Messages are hashed here, because few tokens hash. Each signature is verified with the certificate's public key
/// before it is used: a key that does not belong to the certificate is found here, and not at the server.
struct PKCS11Signing {
    private enum Key {
        case rsa(_RSA.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)
    }

    private let key: Key

    /// - Parameter certificate: the certificate in DER
    /// - Throws: `CertificateError` if its key is of another kind than RSA and ECDSA
    init(certificate: [UInt8]) throws(CertificateError) {
        do {
            let parsed = try Certificate(derEncoded: certificate)
            var serializer = DER.Serializer()
            try serializer.serialize(parsed.publicKey)
            let der = serializer.serializedBytes
            if let key = try? P256.Signing.PublicKey(derRepresentation: der) {
                self.key = .p256(key)
            } else if let key = try? P384.Signing.PublicKey(derRepresentation: der) {
                self.key = .p384(key)
            } else if let key = try? P521.Signing.PublicKey(derRepresentation: der) {
                self.key = .p521(key)
            } else {
                key = .rsa(try _RSA.Signing.PublicKey(derRepresentation: der))
            }
        } catch {
            throw CertificateError(.unsupportedKey, "The key of the certificate on the token is neither RSA nor ECDSA.")
        }
    }

    /// The algorithms of TLS that fit the key.
    var algorithms: [KeySigner.Algorithm] {
        if case .rsa = key { KeySigner.Algorithm.rsa } else { KeySigner.Algorithm.ecdsa }
    }

    /// The input of the token and its mechanism (PKCS#11 2.40: CKM_RSA_PKCS, CKM_RSA_PKCS_PSS, CKM_ECDSA).
    static func input(_ message: [UInt8], _ algorithm: KeySigner.Algorithm) -> (bytes: [UInt8], PKCS11Mechanism) {
        let digest = digest(message, algorithm)
        switch algorithm {
        case .rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512:
            return (digestInfo(digest), PKCS11Mechanism(type: 0x1, name: "RSA"))
        case .rsaPSSSHA256: return (digest, pss(0x250, 0x2, 32))
        case .rsaPSSSHA384: return (digest, pss(0x260, 0x3, 48))
        case .rsaPSSSHA512: return (digest, pss(0x270, 0x4, 64))
        case .ecdsaSHA256, .ecdsaSHA384, .ecdsaSHA512:
            return (digest, PKCS11Mechanism(type: 0x1041, name: "ECDSA"))
        }
    }

    /// TLS wants a salt as long as the digest (RFC 8446 §4.2.3).
    private static func pss(_ hash: UInt, _ generator: UInt, _ salt: UInt) -> PKCS11Mechanism {
        PKCS11Mechanism(
            type: 0xD, name: "RSA-PSS (which TLS 1.3 needs)",
            pss: pkcs11_pss(hash: hash, generator: generator, salt: salt))
    }

    private static func digest(_ message: [UInt8], _ algorithm: KeySigner.Algorithm) -> [UInt8] {
        switch algorithm {
        case .rsaPKCS1SHA256, .rsaPSSSHA256, .ecdsaSHA256: Array(SHA256.hash(data: message))
        case .rsaPKCS1SHA384, .rsaPSSSHA384, .ecdsaSHA384: Array(SHA384.hash(data: message))
        case .rsaPKCS1SHA512, .rsaPSSSHA512, .ecdsaSHA512: Array(SHA512.hash(data: message))
        }
    }

    /// A digest with the name of its function (RFC 8017 §9.2, note 1).
    private static func digestInfo(_ digest: [UInt8]) -> [UInt8] {
        let function: UInt8 = [32: 1, 48: 2][digest.count] ?? 3
        let count = UInt8(digest.count)
        return [
            0x30, 17 + count, 0x30, 13, 0x06, 9, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, function, 0x05, 0,
            0x04, count,
        ]
            + digest
    }

    /// The token's answer in the form of TLS: ECDSA's two numbers in DER.
    ///
    /// - Throws: `CertificateError.Code.keyMismatch` if the signature does not fit the certificate
    func signature(
        _ answer: [UInt8], of message: [UInt8], _ algorithm: KeySigner.Algorithm
    ) throws(CertificateError) -> [UInt8] {
        let result: [UInt8]? =
            switch algorithm {
            case .rsaPKCS1SHA256, .rsaPSSSHA256, .ecdsaSHA256: signature(answer, SHA256.hash(data: message), algorithm)
            case .rsaPKCS1SHA384, .rsaPSSSHA384, .ecdsaSHA384: signature(answer, SHA384.hash(data: message), algorithm)
            case .rsaPKCS1SHA512, .rsaPSSSHA512, .ecdsaSHA512: signature(answer, SHA512.hash(data: message), algorithm)
            }
        guard let result else {
            throw CertificateError(.keyMismatch, "The key on the token does not belong to the certificate beside it.")
        }
        return result
    }

    /// Returns nil if the signature does not fit the certificate.
    private func signature(
        _ answer: [UInt8], _ digest: some Digest, _ algorithm: KeySigner.Algorithm
    ) -> [UInt8]? {
        switch key {
        case .rsa(let key):
            let isPSS = [.rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512].contains(algorithm)
            let signature = _RSA.Signing.RSASignature(rawRepresentation: answer)
            return key.isValidSignature(signature, for: digest, padding: isPSS ? .PSS : .insecurePKCS1v1_5)
                ? answer : nil
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: answer) else { return nil }
            return key.isValidSignature(signature, for: digest) ? Array(signature.derRepresentation) : nil
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: answer) else { return nil }
            return key.isValidSignature(signature, for: digest) ? Array(signature.derRepresentation) : nil
        case .p521(let key):
            guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: answer) else { return nil }
            return key.isValidSignature(signature, for: digest) ? Array(signature.derRepresentation) : nil
        }
    }
}
#endif
