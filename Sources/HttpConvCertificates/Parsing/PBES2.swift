import Crypto
import CryptoExtras
import HttpConvPlatform
import SwiftASN1

/// Encryption with a passphrase by PBKDF2 and AES (RFC 8018 §6.2), which current programs use.
struct PBES2 {
    private let salt: [UInt8]
    private let iterations: Int
    private let hash: KDF.Insecure.PBKDF2.HashFunction
    private let keyLength: Int
    private let initializationVector: [UInt8]

    /// Returns nil for another algorithm.
    init?(_ algorithm: ASN1Node) throws {
        var scheme = try BERReader(algorithm)
        guard try scheme.oid() == OID.pbes2 else { return nil }
        var parameters = try scheme.sequence()
        var derivation = try parameters.sequence()
        var cipher = try parameters.sequence()
        switch try cipher.oid() {
        case OID.aes128: keyLength = 16
        case OID.aes192: keyLength = 24
        case OID.aes256: keyLength = 32
        default: return nil
        }
        initializationVector = try cipher.octets()
        guard try derivation.oid() == OID.pbkdf2 else { return nil }
        var values = try derivation.sequence()
        salt = try values.octets()
        iterations = try values.integer()
        guard let hash = try Self.hash(&values) else { return nil }
        self.hash = hash
    }

    /// The hash function in the parameters of the key derivation, after salt and rounds; nil if it is not supported.
    static func hash(_ values: inout BERReader) throws -> KDF.Insecure.PBKDF2.HashFunction? {
        while let node = values.next() {
            // The key's length may come first; the cipher determines it anyway.
            guard node.identifier == .sequence else { continue }
            var function = try BERReader(node)
            switch try function.oid() {
            case OID.hmacSHA1: return .insecureSHA1
            case OID.hmacSHA256: return .sha256
            case OID.hmacSHA384: return .sha384
            case OID.hmacSHA512: return .sha512
            default: return nil
            }
        }
        return .insecureSHA1
    }

    /// Returns nil if the padding shows that the passphrase is wrong.
    func decrypt(_ bytes: [UInt8], _ passphrase: String) throws -> [UInt8]? {
        let vector = try AES._CBC.IV(ivBytes: initializationVector)
        let key = try KDF.Insecure.PBKDF2.deriveKey(
            from: Array(passphrase.utf8), salt: salt, using: hash, outputByteCount: keyLength,
            unsafeUncheckedRounds: iterations)
        return (try? AES._CBC.decrypt(bytes, using: key, iv: vector)).map { Array($0) }
    }
}
