import Crypto
import SwiftASN1

/// The MAC of a PKCS#12 file, made with its passphrase (RFC 7292 §4 and Appendix B).
struct PKCS12MAC {
    private let digest: ASN1ObjectIdentifier
    private let value: [UInt8]
    private let salt: [UInt8]
    let iterations: Int
    private let content: [UInt8]

    init(_ node: ASN1Node, of content: [UInt8]) throws {
        var data = try BERReader(node)
        var info = try data.sequence()
        var algorithm = try info.sequence()
        digest = try algorithm.oid()
        value = try info.octets()
        salt = try data.octets()
        iterations = try data.next().map { try Int(berEncoded: $0) } ?? 1
        self.content = content
    }

    /// Whether the passphrase is right; nil if the MAC's algorithm is unknown.
    func isMade(with passphrase: PKCS12Passphrase) -> Bool? {
        switch digest {
        case OID.sha1: isMade(with: passphrase, Insecure.SHA1.self)
        case OID.sha256: isMade(with: passphrase, SHA256.self)
        case OID.sha384: isMade(with: passphrase, SHA384.self)
        case OID.sha512: isMade(with: passphrase, SHA512.self)
        default: nil
        }
    }

    private func isMade<Hash: HashFunction>(with passphrase: PKCS12Passphrase, _ hash: Hash.Type) -> Bool {
        let key = Self.key(passphrase, salt, iterations, hash)
        return HMAC<Hash>.isValidAuthenticationCode(value, authenticating: content, using: key)
    }

    /// The key of a MAC: one block of the derivation with the diversifier 3.
    static func key<Hash: HashFunction>(
        _ passphrase: PKCS12Passphrase, _ salt: [UInt8], _ iterations: Int, _: Hash.Type
    ) -> SymmetricKey {
        let block = Hash.blockByteCount
        let input = [UInt8](repeating: 3, count: block) + fill(salt, block) + fill(passphrase.bytes, block)
        var digest = Hash.hash(data: input)
        for _ in 1..<max(iterations, 1) {
            digest = digest.withUnsafeBytes { bytes in
                var hash = Hash()
                hash.update(bufferPointer: bytes)
                return hash.finalize()
            }
        }
        return SymmetricKey(data: Array(digest))
    }

    /// Repeats the bytes up to a multiple of the block. Returns an empty array for empty bytes.
    private static func fill(_ bytes: [UInt8], _ block: Int) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        let count = (bytes.count + block - 1) / block * block
        return (0..<count).map { bytes[$0 % bytes.count] }
    }
}

/// A passphrase in the form from which PKCS#12 derives keys: UTF-16, big-endian, with a NUL at its end (RFC 7292
/// Appendix B.1).
struct PKCS12Passphrase {
    let text: String
    let bytes: [UInt8]

    init(_ text: String) {
        self.text = text
        bytes = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + [0, 0]
    }

    private init() {
        text = ""
        bytes = []
    }

    /// A missing passphrase, which some programs distinguish from an empty one.
    static let none = PKCS12Passphrase()
}
