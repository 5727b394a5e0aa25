/// `application/x-www-form-urlencoded`, according to the URL standard of the WHATWG and RFC 6749 (appendix B).
package enum FormEncoding {
    /// The media type of the encoding.
    package static let mediaType = "application/x-www-form-urlencoded"

    /// A name and its value.
    package typealias Parameter = (name: String, value: String)

    /// Pairs of names and values, joined by `&`.
    package static func encode(_ parameters: [Parameter]) -> String {
        parameters.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    /// Keeps letters, digits and `*-._`, turns a space into `+`, and percent-encodes the rest as UTF-8.
    package static func encode(_ text: String) -> String { encode(text.utf8) }

    /// Encodes text in any charset.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var result: [UInt8] = []
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F: result.append(byte)
            case 0x20: result.append(UInt8(ascii: "+"))
            default: Hexadecimal.appendPercentEncoded(byte, to: &result)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The parameters of a query, in order, including repeated ones.
    package static func decode(_ text: Substring) -> [Parameter] {
        text.split(ascii: "&").map { pair in
            guard let (name, value) = pair.cut(atASCII: "=") else { return (decoded(pair), "") }
            return (decoded(name), decoded(value))
        }
    }

    /// The parameters of a URL's query, for any scheme.
    package static func query(of url: String) -> [Parameter] {
        url.prefix(upToASCII: "#").cut(atASCII: "?").map { decode($0.after) } ?? []
    }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: text.replacing(ascii: ["+": " "]).percentDecoded, as: UTF8.self)
    }
}
