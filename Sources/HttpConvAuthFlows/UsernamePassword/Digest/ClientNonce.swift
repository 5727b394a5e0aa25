/// Makes client nonces.
enum ClientNonce {
    /// 128 random bits as hexadecimal digits.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.text((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
