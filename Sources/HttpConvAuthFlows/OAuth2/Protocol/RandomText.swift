import HttpConvFormats
import HttpConvPlatform

/// Unguessable text for `state`, `nonce` and code verifiers.
enum RandomText {
    /// 256 bits as 43 characters of base64url.
    static func make() -> String { Base64URL.text(RandomBytes.make(32)) }
}
