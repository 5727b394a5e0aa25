import HttpConvPlatform

/// The charset of a page, detected as browsers do: byte order mark, then `Content-Type`, then `<meta>`.
package struct HTMLCharset: Hashable, Sendable {
    private enum Coding: Hashable {
        case utf8
        case utf16(bigEndian: Bool)
        case windows1252
        case foundation(String.Encoding)
    }

    /// The name as used in forms and header fields.
    package let name: String
    private let coding: Coding

    /// The default, also for sending forms unless the page says otherwise.
    package static let utf8 = HTMLCharset("UTF-8", .utf8)

    private init(_ name: String, _ coding: Coding) {
        self.name = name
        self.coding = coding
    }

    /// Finds a charset by one of its names. Returns nil if it is unknown.
    package init?(label: some StringProtocol) {
        switch String(label).trimmingSpaces.asciiLowercased {
        case "utf-8", "utf8", "unicode-1-1-utf-8": self = .utf8
        case "utf-16", "utf-16le", "unicode": self.init("UTF-16LE", .utf16(bigEndian: false))
        case "utf-16be": self.init("UTF-16BE", .utf16(bigEndian: true))
        // Browsers take all these names for windows-1252.
        case "iso-8859-1", "latin1", "windows-1252", "cp1252", "us-ascii", "ascii", "iso8859-1", "l1":
            self.init("windows-1252", .windows1252)
        case "iso-8859-2", "latin2": self.init("iso-8859-2", .foundation(.isoLatin2))
        case "windows-1250": self.init("windows-1250", .foundation(.windowsCP1250))
        case "windows-1251": self.init("windows-1251", .foundation(.windowsCP1251))
        case "windows-1253": self.init("windows-1253", .foundation(.windowsCP1253))
        case "windows-1254", "iso-8859-9": self.init("windows-1254", .foundation(.windowsCP1254))
        case "shift_jis", "sjis": self.init("Shift_JIS", .foundation(.shiftJIS))
        case "euc-jp": self.init("EUC-JP", .foundation(.japaneseEUC))
        default: return nil
        }
    }

    /// The charset of a page, and the length of its byte order mark in bytes.
    static func detect(_ bytes: ArraySlice<UInt8>, contentType: String?) -> (charset: HTMLCharset, mark: Int) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (HTMLCharset("UTF-16BE", .utf16(bigEndian: true)), 2) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (HTMLCharset("UTF-16LE", .utf16(bigEndian: false)), 2) }
        if let contentType, let charset = parameter(of: contentType.asciiLowercased[...]) { return (charset, 0) }
        return (declared(in: bytes.prefix(1024)) ?? .utf8, 0)
    }

    /// The charset that `<meta>` or an XML declaration near the start names. If it is readable as ASCII, the page is
    /// not UTF-16.
    private static func declared(in bytes: ArraySlice<UInt8>) -> HTMLCharset? {
        let text = String(decoding: bytes, as: UTF8.self).asciiLowercased
        var rest = text[...]
        while let tag = rest.after("<meta") {
            let attributes = tag.prefix(upToASCII: ">")
            if let charset = parameter(of: attributes) { return charset.asciiCompatible }
            rest = tag[attributes.endIndex...]
        }
        guard text.starts(withBytesOf: "<?xml") else { return nil }
        return parameter(of: text.prefix(upToASCII: ">"), named: "encoding")?.asciiCompatible
    }

    private var asciiCompatible: HTMLCharset { if case .utf16 = coding { .utf8 } else { self } }

    /// The value after `charset=`, quoted or not.
    ///
    /// - Parameter text: in lower case
    private static func parameter(of text: Substring, named name: String = "charset") -> HTMLCharset? {
        guard let rest = text.after(name), let (before, after) = rest.cut(atASCII: "="), before.trimmingSpaces.isEmpty
        else { return nil }
        let value = Substring(after.utf8.drop { $0 == 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") })
        return HTMLCharset(label: value.prefix(upToASCII: " ;\"'/>\r\n"))
    }

    /// Decodes bytes; invalid ones become U+FFFD.
    func decode(_ bytes: ArraySlice<UInt8>) -> String {
        switch coding {
        case .utf8: return String(decoding: bytes, as: UTF8.self)
        case .utf16(let bigEndian):
            let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
                let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                return bigEndian ? first << 8 | second : second << 8 | first
            }
            return String(decoding: units, as: UTF16.self)
        case .windows1252:
            var text = String.UnicodeScalarView()
            text.append(contentsOf: bytes.map { Self.windows1252($0) })
            return String(text)
        case .foundation(let encoding):
            return String(bytes: bytes, encoding: encoding) ?? String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The bytes that a form sends for a text. Characters that the charset lacks become character references, as in
    /// browsers. UTF-16 is sent as UTF-8.
    package func encode(_ text: String) -> [UInt8] {
        switch coding {
        case .utf8, .utf16: Array(text.utf8)
        case .windows1252: text.unicodeScalars.flatMap { Self.windows1252($0).map { [$0] } ?? Self.reference($0) }
        case .foundation(let encoding):
            text.unicodeScalars.flatMap { scalar in
                String(scalar).data(using: encoding).map { Array($0) } ?? Self.reference(scalar)
            }
        }
    }

    /// The charset that a form of a page in this charset is sent in.
    package var forForms: HTMLCharset { if case .utf16 = coding { .utf8 } else { self } }

    private static func reference(_ scalar: Unicode.Scalar) -> [UInt8] { Array("&#\(scalar.value);".utf8) }

    private static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
        (0x80...0x9F).contains(byte) ? upper[Int(byte) - 0x80] : Unicode.Scalar(byte)
    }

    private static func windows1252(_ scalar: Unicode.Scalar) -> UInt8? {
        if scalar.value < 0x80 || (0xA0...0xFF).contains(scalar.value) { return UInt8(scalar.value) }
        return upper.firstIndex(of: scalar).map { UInt8($0 + 0x80) }
    }

    /// The characters 0x80 to 0x9F of windows-1252.
    private static let upper: [Unicode.Scalar] = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
}

extension Substring {
    /// The text after the first occurrence of some ASCII text. Returns nil if it does not occur.
    fileprivate func after(_ text: String) -> Substring? {
        let text = Array(text.utf8)
        var rest = utf8[...]
        while let start = rest.firstIndex(of: text[0]) {
            rest = rest[start...]
            if rest.starts(with: text) { return Substring(rest.dropFirst(text.count)) }
            rest = rest.dropFirst()
        }
        return nil
    }
}
