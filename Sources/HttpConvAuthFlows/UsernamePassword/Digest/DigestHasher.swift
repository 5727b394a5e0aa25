import Crypto
import CryptoExtras
import HttpConvFormats
import HttpConversation

/// Hashes bytes with one of Digest's functions.
struct DigestHasher {
    private enum State {
        case md5(Insecure.MD5)
        case sha256(SHA256)
        case sha512Over256(SHA512256)
    }

    private var state: State

    init(_ hash: DigestAlgorithm.Hash) {
        state =
            switch hash {
            case .md5: .md5(Insecure.MD5())
            case .sha256: .sha256(SHA256())
            case .sha512Over256: .sha512Over256(SHA512256())
            }
    }

    /// Adds bytes of the message.
    mutating func update(_ bytes: [UInt8]) {
        switch state {
        case .md5(var hash):
            hash.update(data: bytes)
            state = .md5(hash)
        case .sha256(var hash):
            hash.update(data: bytes)
            state = .sha256(hash)
        case .sha512Over256(var hash):
            hash.update(data: bytes)
            state = .sha512Over256(hash)
        }
    }

    /// The digest in lower-case hexadecimal digits, as RFC 7616 §3.1 requires.
    func hex() -> String {
        switch state {
        case .md5(let hash): Hexadecimal.text(hash.finalize())
        case .sha256(let hash): Hexadecimal.text(hash.finalize())
        case .sha512Over256(let hash): Hexadecimal.text(hash.finalize())
        }
    }
}
