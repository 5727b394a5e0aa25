/// Unguessable text for nonces, sessions and the admin API.
enum RandomToken {
    /// 128 random bits in hexadecimal.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in Hex.digits(UInt8.random(in: .min ... .max, using: &generator)) }.joined()
    }
}
