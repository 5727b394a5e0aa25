extension HTMLPage.Refresh {
    /// Reads a value such as `5; url='elsewhere'`; quotes and `url=` are optional (HTML §4.2.5.3).
    init?(_ value: String) {
        let content = value.utf8.drop(while: Self.isSpace)
        let seconds = content.prefix(while: Self.isDigit)
        guard let delay = PeerNumber.integer(seconds, in: 0...Int.max) ?? (content.first == UInt8(ascii: ".") ? 0 : nil)
        else { return nil }
        var rest = content.dropFirst(seconds.count).drop { Self.isDigit($0) || $0 == UInt8(ascii: ".") }
        rest = rest.drop { Self.isSpace($0) || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }
        if Substring(rest).starts(withASCIILetters: "url") {
            let value = rest.dropFirst(3).drop(while: Self.isSpace)
            if value.first == UInt8(ascii: "=") { rest = value.dropFirst().drop(while: Self.isSpace) }
        }
        if let quote = rest.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
            rest = rest.dropFirst().prefix { $0 != quote }
        }
        self.init(delay: delay, url: rest.isEmpty ? nil : String(Substring(rest)))
    }

    /// HTML's own white space. It has no other.
    private static func isSpace(_ byte: UInt8) -> Bool { [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
