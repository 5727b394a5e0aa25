import HttpConvFormats

/// Percent-encoding of text in addresses (RFC 3986 §2.1).
enum PercentEncoding {
    /// Encodes a part of a path or the value of a query option. Parentheses, quotes, commas, colons and asterisks stay:
    /// they belong to OData and mean nothing to URLs.
    static func encoded(_ text: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isPlain(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~'(),:*$@!".utf8.contains(byte)
        }
    }
}
