import HttpConvFormats
import HttpConvPlatform

/// A message in `SAMLRequest` or `SAMLResponse`.
enum SAML2Message {
    /// The encodings of the bindings.
    enum Binding {
        /// DEFLATE and base64 (saml-bindings-2.0 §3.4.4.1).
        case redirect
        /// base64 (§3.5.4).
        case post
    }

    /// The number of bytes of a message that are read, before and after decompression. Its first tag is near the start.
    private static let limit = 2 << 10

    /// Whether it ends a session (saml-core-2.0 §3.7). Anything that cannot be read does not.
    static func isLogout(_ value: String, by binding: Binding) -> Bool {
        let decoded = decoded(value)
        let xml = binding == .redirect ? DeflatedText.start(of: decoded, limit: limit) : decoded
        return root(of: xml).map { ["LogoutRequest", "LogoutResponse"].contains($0) } ?? false
    }

    /// Some servers leave `+` as it is in a query, where it reads as a space.
    private static func decoded(_ value: String) -> [UInt8] {
        let text = value.utf8.prefix(limit).filter { ![0x09, 0x0A, 0x0D].contains($0) }.map {
            $0 == 0x20 ? UInt8(ascii: "+") : $0
        }
        return Data(base64Encoded: Data(text.prefix(text.count / 4 * 4))).map { Array($0) } ?? []
    }

    /// The name of the root element without its prefix. An XML declaration may be before it.
    private static func root(of xml: [UInt8]) -> String? {
        var rest = xml.drop { $0 != UInt8(ascii: "<") }.dropFirst()
        if rest.first == UInt8(ascii: "?") {
            rest = rest.drop { $0 != UInt8(ascii: ">") }.drop { $0 != UInt8(ascii: "<") }.dropFirst()
        }
        let name = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        guard name.endIndex < rest.endIndex else { return nil }
        return name.split(separator: UInt8(ascii: ":")).last.map { String(decoding: $0, as: UTF8.self) }
    }
}
