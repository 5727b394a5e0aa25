extension HTMLPage.Refresh {
    /// Reads a value such as `5; url='elsewhere'`; quotes and `url=` are optional (HTML §4.2.5.3).
    init?(_ value: String) {
        let content = value.utf8.drop(while: \.isHTMLSpace)
        let seconds = content.prefix(while: \.isASCIIDigit)
        guard let delay = PeerNumber.integer(seconds, in: 0...Int.max) ?? (content.first == UInt8(ascii: ".") ? 0 : nil)
        else { return nil }
        var rest = content.dropFirst(seconds.count).drop { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
        rest = rest.drop { $0.isHTMLSpace || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }
        if Substring(rest).starts(withASCIILetters: "url") {
            let value = rest.dropFirst(3).drop(while: \.isHTMLSpace)
            if value.first == UInt8(ascii: "=") { rest = value.dropFirst().drop(while: \.isHTMLSpace) }
        }
        if let quote = rest.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
            rest = rest.dropFirst().prefix { $0 != quote }
        }
        self.init(delay: delay, url: rest.isEmpty ? nil : String(Substring(rest)))
    }
}
