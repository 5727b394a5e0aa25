package import HttpConvPlatform

/// The tolerant date reader of RFC 6265 §5.1.1; reads all forms of an HTTP date (RFC 9110 §5.6.7), too.
package enum HTTPDate {
    private typealias Token = Substring.UTF8View.SubSequence
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// Parses a date; nil if the text has no complete one, and then the attribute is ignored.
    package static func parse(_ text: String) -> Date? {
        var time: (Int, Int, Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text[...].utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = clockTime(token) {
                time = found
            } else if day == nil, let found = leadingNumber(token, digits: 1...2) {
                day = found
            } else if month == nil, let index = months.firstIndex(where: Substring(token).starts(withASCIILetters:)) {
                month = index + 1
            } else if year == nil, let found = leadingNumber(token, digits: 2...4) {
                year = found < 70 ? found + 2000 : found < 100 ? found + 1900 : found
            }
        }
        guard let time, let day, let month, let year, (1...31).contains(day), year >= 1601,
            time.0 < 24, time.1 < 60, time.2 < 60
        else { return nil }
        return date(year, month, day, time)
    }

    private static func date(_ year: Int, _ month: Int, _ day: Int, _ time: (Int, Int, Int)) -> Date? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = DateComponents(year: year, month: month, day: day, hour: time.0, minute: time.1, second: time.2)
        guard let date = calendar.date(from: parts), calendar.component(.day, from: date) == day else { return nil }
        return date
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Three numbers with colons between them; text after the third is ignored.
    private static func clockTime(_ token: Token) -> (Int, Int, Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0]), let minute = number(parts[1]),
            let second = leadingNumber(parts[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func number(_ token: Token) -> Int? {
        (1...2).contains(token.count) ? PeerNumber.integer(token, in: 0...99) : nil
    }

    private static func leadingNumber(_ token: Token, digits: ClosedRange<Int>) -> Int? {
        let number = token.prefix(while: \.isASCIIDigit)
        return digits.contains(number.count) ? PeerNumber.integer(number, in: 0...9999) : nil
    }
}
