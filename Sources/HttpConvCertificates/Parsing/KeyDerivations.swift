import SwiftASN1

/// Limits the work with a passphrase that all parts of a file may ask for. A damaged or hostile file may ask for days.
struct KeyDerivations {
    /// The limit in rounds. Ordinary programs write 1 to 600,000 for each of two or three parts.
    static let maximum = 3_000_000
    private var left = Self.maximum

    /// Counts the rounds before a key is derived.
    mutating func take(_ rounds: Int) throws(CertificateError) {
        guard rounds >= 1, rounds <= left else {
            throw CertificateError(
                .unreadable,
                "It asks for more than \(Self.maximum) rounds of work with its passphrase: it is damaged, or meant to keep this machine busy."
            )
        }
        left -= rounds
    }

    /// Counts the rounds of an encryption algorithm (RFC 8018 §6, RFC 7292 Appendix C).
    mutating func take(for algorithm: ASN1Node) throws {
        var scheme = try BERReader(algorithm)
        let isPBES2 = try scheme.oid() == OID.pbes2
        var parameters = try scheme.sequence()
        if isPBES2 {
            var derivation = try parameters.sequence()
            _ = try derivation.oid()
            parameters = try derivation.sequence()
        }
        _ = try parameters.octets()
        let rounds = try parameters.integer()
        try take(rounds)
        // The older algorithms derive a key and an initialization vector separately.
        if !isPBES2 { try take(rounds) }
    }
}
