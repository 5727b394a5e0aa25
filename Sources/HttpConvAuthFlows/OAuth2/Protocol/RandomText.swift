import HttpConvFormats

/// Unguessable text for `state`, `nonce` and code verifiers.
enum RandomText {
    /// 256 bits as 43 characters of base64url.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        for _ in 0..<4 { withUnsafeBytes(of: generator.next()) { bytes += $0 } }
        return Base64URL.text(bytes)
    }
}
