import Foundation
import HttpC

/// How long a server wants to be left alone (RFC 9110 §10.2.3).
enum RetryAfter {
    /// Nil where it does not say, or nothing that can be read.
    ///
    /// - Parameter now: what a date counts from
    static func read(_ head: HTTPResponse, now: Date) -> Duration? {
        let values = head.headerFields[values: .retryAfter]
        guard values.count == 1, let text = values.first.map({ String($0.trimmingSpaces) }) else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // More than any number is more than anybody waits.
            return .seconds(min(Int(text) ?? .max, longest))
        }
        guard let date = CookieDate.parse(text) else { return nil }
        return .seconds(max(0, min(date.timeIntervalSince(now), Double(longest))))
    }

    private static let longest = 1_000_000_000
}
