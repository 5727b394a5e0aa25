/// The hash of a Digest challenge, and whether its key is bound to a session (RFC 7616 §3.2, §6.1).
struct DigestAlgorithm: Hashable, Sendable {
    /// The hash functions of RFC 7616 §6.1.
    enum Hash: String, CaseIterable, Sendable {
        case md5 = "MD5"
        case sha256 = "SHA-256"
        case sha512Over256 = "SHA-512-256"
    }

    let hash: Hash
    /// The `-sess` variant: nonce and client nonce of the session's start are part of the key.
    let isSession: Bool

    /// Reads `algorithm`, in any case; MD5 if a server names none (RFC 2617 §3.2.1). Nil for unknown ones.
    init?(_ name: String?) {
        let name = (name ?? Hash.md5.rawValue).uppercased()
        isSession = name.hasSuffix("-SESS")
        guard let hash = Hash(rawValue: isSession ? String(name.dropLast(5)) : name) else { return nil }
        self.hash = hash
    }

    /// A new hasher for this algorithm.
    func hasher() -> DigestHasher { DigestHasher(hash) }

    /// The hexadecimal digest of a text's UTF-8 bytes.
    func hex(_ text: String) -> String {
        var hasher = hasher()
        hasher.update(Array(text.utf8))
        return hasher.hex()
    }
}
