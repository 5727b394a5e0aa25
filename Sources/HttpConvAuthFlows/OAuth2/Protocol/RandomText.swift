import HttpConvPlatform

/// Unguessable text for `state`, `nonce` and code verifiers.
enum RandomText {
    /// 256 bits as 43 characters of base64url.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        for _ in 0..<4 { withUnsafeBytes(of: generator.next()) { bytes += $0 } }
        return base64URL(bytes)
    }

    /// base64url without padding (RFC 4648 §5).
    static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The bytes of a base64url text; nil if it is invalid.
    static func bytes(base64URL text: some StringProtocol) -> [UInt8]? {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        let plain = String(text).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        return Data(base64Encoded: plain + padding).map { Array($0) }
    }
}
