/// Unguessable text for nonces, sessions and the admin API.
enum RandomToken {
    /// 128 random bits in hexadecimal.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in Hex.digits(UInt8.random(in: .min ... .max, using: &generator)) }.joined()
    }

    /// 256 random bits in base64url, for tokens that are credentials by themselves.
    static func makeBearer() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.string((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
