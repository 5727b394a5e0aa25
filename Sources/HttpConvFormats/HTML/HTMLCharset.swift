import HttpConvPlatform

/// The charset of a page, detected as browsers do: byte order mark, then `Content-Type`, then `<meta>`.
package struct HTMLCharset: Hashable, Sendable {
    private enum Coding: Hashable {
        case utf8
        case utf16(bigEndian: Bool)
        case singleByte(SingleByteCharset)
        case foundation(String.Encoding)
        /// Only ASCII is converted.
        case ascii
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
        guard let name = CharsetLabels.name(of: String(label).trimmingSpaces.asciiLowercased) else { return nil }
        self.init(name, Self.coding(of: name))
    }

    private static func coding(of name: String) -> Coding {
        switch name {
        case "UTF-8": .utf8
        case "UTF-16LE": .utf16(bigEndian: false)
        case "UTF-16BE": .utf16(bigEndian: true)
        case "windows-1252": .singleByte(.windows1252)
        case "ISO-8859-2": .singleByte(.latin2)
        case "ISO-8859-15": .singleByte(.latin9)
        case "KOI8-R": .singleByte(.koi8R)
        case "windows-1250": .singleByte(.windows1250)
        case "windows-1251": .singleByte(.windows1251)
        case "windows-1253": .singleByte(.windows1253)
        case "windows-1254": .singleByte(.windows1254)
        // Foundation's essentials, which are all there is on Linux, do not know these two.
        case "Shift_JIS": .foundation(.shiftJIS)
        case "EUC-JP": .foundation(.japaneseEUC)
        // Except in ISO-2022-JP, the bytes that HTML's markup needs never belong to a character of these charsets.
        default: .ascii
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
        case .singleByte(let charset):
            var text = String.UnicodeScalarView()
            text.append(contentsOf: bytes.map { charset.character($0) })
            return String(text)
        case .foundation(let encoding): return String(bytes: bytes, encoding: encoding) ?? Self.ascii(bytes)
        case .ascii: return Self.ascii(bytes)
        }
    }

    private static func ascii(_ bytes: ArraySlice<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: bytes.map { $0 < 0x80 ? Unicode.Scalar($0) : "\u{FFFD}" })
        return String(text)
    }

    /// The bytes that a form sends for a text. Characters that the charset lacks become character references, as in
    /// browsers. UTF-16 is sent as UTF-8.
    package func encode(_ text: String) -> [UInt8] {
        switch coding {
        case .utf8, .utf16: Array(text.utf8)
        case .singleByte(let charset):
            text.unicodeScalars.flatMap { charset.byte($0).map { [$0] } ?? Self.reference($0) }
        case .foundation, .ascii: text.unicodeScalars.flatMap { converted($0) ?? Self.reference($0) }
        }
    }

    /// Whether the encoded text has the bytes that a browser sends. False if the charset may have characters of the
    /// text that are not converted here.
    package func canEncode(_ text: String) -> Bool {
        switch coding {
        case .utf8, .utf16, .singleByte: true
        case .foundation, .ascii: text.unicodeScalars.allSatisfy { converted($0) != nil }
        }
    }

    private func converted(_ scalar: Unicode.Scalar) -> [UInt8]? {
        if scalar.isASCII { return [UInt8(ascii: scalar)] }
        guard case .foundation(let encoding) = coding else { return nil }
        return String(scalar).data(using: encoding).map { Array($0) }
    }

    /// The charset that a form of a page in this charset is sent in.
    package var forForms: HTMLCharset {
        if case .utf16 = coding { return .utf8 }
        return name == "replacement" ? .utf8 : self
    }

    private static func reference(_ scalar: Unicode.Scalar) -> [UInt8] { Array("&#\(scalar.value);".utf8) }
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
