import Foundation
import HttpC

/// How long a server wants to be left alone (RFC 9110 §10.2.3).
enum RetryAfter {
    /// Nil where it does not say, or nothing that can be read.
    ///
    /// - Parameter now: what a date counts from
    static func read(_ head: HTTPResponse, now: Date) -> Duration? {
        let values = head.headerFields[values: .retryAfter]
        guard values.count == 1, let text = values.first?.trimmingCharacters(in: .whitespaces) else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // More than any number is more than anybody waits.
            return .seconds(min(Int(text) ?? .max, longest))
        }
        guard let date = date(text) else { return nil }
        return .seconds(max(0, min(date.timeIntervalSince(now), Double(longest))))
    }

    private static let longest = 1_000_000_000

    /// Such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.isLenient = false
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return text.utf8.count <= 40 ? formatter.date(from: text) : nil
    }
}
