import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// Writes signed JSON web tokens in the compact form (RFC 7515 §7.1, RFC 7519).
enum JSONWebToken {
    /// The text of a token that is to be signed (RFC 7515 §5.1).
    static func unsigned(_ header: some Encodable, _ claims: some Encodable) throws(OAuth2Error) -> String {
        try "\(encode(header)).\(encode(claims))"
    }

    /// A token with its signature.
    static func signed(_ text: String, with signature: [UInt8]) -> Redacted<String> {
        Redacted("\(text).\(Base64URL.text(signature))")
    }

    /// A date as a number of a claim (RFC 7519 §2), in whole seconds.
    static func numericDate(_ date: Date) -> Int {
        PeerNumber.integer(date.timeIntervalSince1970, clampingTo: 0...253_402_300_799) ?? 0
    }

    private static func encode(_ value: some Encodable) throws(OAuth2Error) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Base64URL.text(try encoder.encode(value)) } catch {
            throw OAuth2Error(.invalidConfiguration, "A JSON web token cannot be written.")
        }
    }
}
