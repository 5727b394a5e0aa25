import SwiftASN1

/// How much work with a passphrase a file may ask for, all its parts together: a damaged or hostile one may ask for days.
struct KeyDerivations {
    /// In rounds; programs that mean well write 1 to 600,000 for each of two or three parts.
    static let maximum = 3_000_000
    private var left = Self.maximum

    /// Before a key is derived.
    mutating func take(_ rounds: Int) throws(CertificateError) {
        guard rounds >= 1, rounds <= left else {
            throw CertificateError(
                .unreadable,
                "It asks for more than \(Self.maximum) rounds of work with its passphrase: it is damaged, or meant to keep this machine busy."
            )
        }
        left -= rounds
    }

    /// Before what is encrypted by an algorithm is opened (RFC 8018 §6, RFC 7292 Appendix C).
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
        // The older way derives a key and an initialization vector, each by itself.
        if !isPBES2 { try take(rounds) }
    }
}
