import HttpConvFormats

/// HTML of either kind, and its encoding.
struct PageType {
    private let field: String

    /// - Parameter field: the value of `Content-Type`
    init?(_ field: String) {
        var text = field
        guard text.withUTF8(Self.isPage) else { return nil }
        self.field = field
    }

    private static func isPage(_ field: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = field.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? field.endIndex
        guard field.count - start > 1 else { return false }
        // The second letter tells nearly all other types apart.
        switch field[start + 1] | 0x20 {
        case UInt8(ascii: "e"): return isType("text/html", at: start, of: field)
        case UInt8(ascii: "p"): return isType("application/xhtml+xml", at: start, of: field)
        default: return false
        }
    }

    private static func isType(
        _ name: StaticString, at start: Int, of field: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let length = name.utf8CodeUnitCount
        guard let place = field.baseAddress, field.count - start >= length else { return false }
        var index = 0
        while index < length {
            // Sets the bit that makes letters lower case; it is set in the other characters of the names.
            guard place[start + index] | 0x20 == name.utf8Start[index] else { return false }
            index += 1
        }
        let end = start + length
        return end == field.count || field[end] == 0x20 || field[end] == 0x09 || field[end] == UInt8(ascii: ";")
    }

    /// The charset in the field, if it may be one of UTF-16. Only a value with a 6 or a d can name UTF-16; others
    /// are not parsed.
    private var charset: String? {
        var text = field
        let mayBeWide = text.withUTF8 { bytes in
            var index = 0
            while index < bytes.count {
                if bytes[index] == UInt8(ascii: "6") || bytes[index] | 0x20 == UInt8(ascii: "d") { return true }
                index += 1
            }
            return false
        }
        return mayBeWide ? field.split(ascii: ";").dropFirst().lazy.compactMap(Self.charset).first : nil
    }

    private static func charset(_ parameter: Substring) -> String? {
        guard let (name, value) = parameter.cut(atASCII: "="), name.trimmingSpaces.asciiLowercased == "charset"
        else { return nil }
        let label = value.replacing(ascii: [" ": "", "\t": "", "\"": "", "'": ""])
        return label.isEmpty ? nil : label.asciiLowercased
    }

    /// The widths that the page's characters may have: one byte, unless the page declares or shows UTF-16.
    func widths(in chunks: [[UInt8]]) -> [ByteNeedle.Width] {
        switch (Self.mark(chunks), charset) {
        case ((0xFE, 0xFF), _): [.bigEndian]
        case ((0xFF, 0xFE), _): [.littleEndian]
        case (_, "utf-16le"), (_, "unicode"): [.littleEndian]
        case (_, "utf-16be"): [.bigEndian]
        case (_, "utf-16"): [.littleEndian, .bigEndian]
        default: [.narrow]
        }
    }

    /// The first two bytes, which may be a byte order mark.
    private static func mark(_ chunks: [[UInt8]]) -> (UInt8?, UInt8?) {
        if let first = chunks.first, first.count > 1 { return (first[0], first[1]) }
        var bytes = chunks.joined().makeIterator()
        return (bytes.next(), bytes.next())
    }
}
