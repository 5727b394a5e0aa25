import Crypto

/// The hash of a secret, as the key for look-ups: the time of comparing hashes reveals nothing about the secret.
struct SecretKey: Hashable, Sendable {
    private let digest: SHA256.Digest

    init(_ secret: String) {
        digest = SHA256.hash(data: Array(secret.utf8))
    }
}
