import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// Signed JSON web tokens in the compact form (RFC 7515 §7.1, RFC 7519).
enum JSONWebToken {
    /// Writes and signs a token.
    static func signed(
        _ header: some Encodable, _ claims: some Encodable, by sign: ([UInt8]) throws(OAuth2Error) -> [UInt8]
    ) throws(OAuth2Error) -> Redacted<String> {
        let text = try "\(encode(header)).\(encode(claims))"
        return Redacted("\(text).\(Base64URL.text(try sign(Array(text.utf8))))")
    }

    /// A date as a number of a claim (RFC 7519 §2), in whole seconds.
    static func numericDate(_ date: Date) -> Int {
        PeerNumber.integer(date.timeIntervalSince1970, clampingTo: 0...253_402_300_799) ?? 0
    }

    /// The claims of a token whose signature nobody has checked; nil if it is not a signed token.
    static func claims(of token: String) -> [String: JSONValue]? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return Base64URL.bytes(parts[1]).flatMap(JSONValue.object)
    }

    private static func encode(_ value: some Encodable) throws(OAuth2Error) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Base64URL.text(try encoder.encode(value)) } catch {
            throw OAuth2Error(.invalidConfiguration, "A JSON web token cannot be written.")
        }
    }
}
