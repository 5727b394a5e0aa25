/// Percent-decoding that never fails: invalid escapes stay as they are.
enum PercentCoding {
    static func decode(_ text: some StringProtocol) -> [UInt8] {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = nibble(bytes[index + 1]), let low = nibble(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    static func decodeText(_ text: some StringProtocol) -> String {
        String(decoding: decode(text), as: UTF8.self)
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}

extension PercentCoding {
    /// The text with all but unreserved characters escaped (RFC 3986, 2.3).
    static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = UnicodeScalar(byte)
            let isPlain = byte < 0x80 && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            return isPlain || "-._~".utf8.contains(byte)
                ? String(Character(scalar)) : "%" + Hex.digits(byte).uppercased()
        }.joined()
    }
}
