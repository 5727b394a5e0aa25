/// The strings of JSON (RFC 8259 §7).
package enum JSONText {
    /// Resolves escapes, which the parser has checked.
    static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
                result.append(bytes[index])
                index += 1
                continue
            }
            switch bytes[index + 1] {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = unit(bytes, at: index) ?? 0xFFFD
                if (0xD800...0xDBFF).contains(scalar), let low = unit(bytes, at: index + 6) {
                    scalar = 0x10000 + (scalar - 0xD800) << 10 + (low & 0x3FF)
                    index += 6
                }
                result += String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8
                index += 4
            case let byte: result.append(byte)
            }
            index += 2
        }
        return result
    }

    /// The code unit of `\uXXXX`; nil for anything else.
    static func unit(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt32? {
        guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt32 = 0
        for byte in bytes[(index + 2)..<(index + 6)] {
            guard let digit = byte.hexDigit else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    /// Appends a text as a JSON string with its quotes.
    package static func append(_ text: String, to result: inout [UInt8]) {
        result.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                result.append(UInt8(ascii: "\\"))
                result.append(byte)
            case 0x0A: result += "\\n".utf8
            case 0x0D: result += "\\r".utf8
            case 0x09: result += "\\t".utf8
            case 0..<0x20: result += "\\u00\(Hexadecimal.text([byte]))".utf8
            default: result.append(byte)
            }
        }
        result.append(UInt8(ascii: "\""))
    }
}
