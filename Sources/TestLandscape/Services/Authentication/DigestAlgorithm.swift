import Crypto
import CryptoExtras

/// The hash algorithms of Digest (RFC 7616, 3.3).
enum DigestAlgorithm: String, Sendable {
    case md5 = "MD5"
    case sha256 = "SHA-256"
    case sha512t256 = "SHA-512-256"

    /// The hash in hexadecimal.
    func hex(_ text: String) -> String {
        hex(Array(text.utf8))
    }

    func hex(_ bytes: [UInt8]) -> String {
        switch self {
        case .md5: Hex.string(Insecure.MD5.hash(data: bytes))
        case .sha256: Hex.string(SHA256.hash(data: bytes))
        case .sha512t256: Hex.string(SHA512256.hash(data: bytes))
        }
    }
}
