import Crypto

/// The hash of a secret, to look it up by: where two hashes differ tells nothing about the secrets.
struct SecretKey: Hashable, Sendable {
    private let digest: SHA256.Digest

    init(_ secret: String) {
        digest = SHA256.hash(data: Array(secret.utf8))
    }
}
