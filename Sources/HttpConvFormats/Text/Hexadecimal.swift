/// Bytes as hexadecimal digits, two for each byte.
package enum Hexadecimal {
    private static let small = Array("0123456789abcdef".utf8)
    private static let capital = Array("0123456789ABCDEF".utf8)

    /// In lower case.
    package static func text(_ bytes: some Sequence<UInt8>) -> String { text(bytes, small) }

    /// In capitals.
    package static func capitals(_ bytes: some Sequence<UInt8>) -> String { text(bytes, capital) }

    private static func text(_ bytes: some Sequence<UInt8>, _ digits: [UInt8]) -> String {
        var result: [UInt8] = []
        for byte in bytes { append(byte, digits, to: &result) }
        return String(decoding: result, as: UTF8.self)
    }

    /// Adds a byte percent-encoded (RFC 3986 §2.1).
    package static func appendPercentEncoded(_ byte: UInt8, to result: inout [UInt8]) {
        result.append(UInt8(ascii: "%"))
        append(byte, capital, to: &result)
    }

    /// The percent-encoded bytes, except some.
    package static func percentEncoded(
        _ bytes: some Sequence<UInt8>, except stays: (UInt8) -> Bool = \.isUnreserved
    ) -> String {
        var result: [UInt8] = []
        for byte in bytes {
            if stays(byte) { result.append(byte) } else { appendPercentEncoded(byte, to: &result) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, _ digits: [UInt8], to result: inout [UInt8]) {
        result.append(digits[Int(byte >> 4)])
        result.append(digits[Int(byte & 15)])
    }
}
