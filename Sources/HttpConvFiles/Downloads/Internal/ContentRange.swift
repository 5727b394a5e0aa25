package import HTTPTypes
import HttpConvNumbers

/// What of a representation a response has (RFC 9110 §14.4).
package enum ContentRange: Equatable, Sendable {
    /// From the first to the last byte, of so many; nil where the server does not know.
    case part(first: Int, last: Int, total: Int?)
    /// Nothing: what was asked for is beyond so many bytes.
    case unsatisfied(total: Int)

    /// That of a response; nil where there is none, more than one, or one that makes no sense.
    package init?(of fields: HTTPFields) {
        let values = fields[values: .contentRange]
        guard let value = values.first, values.count == 1 else { return nil }
        self.init(value)
    }

    /// Such as `bytes 0-499/1234`.
    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let total = Self.number(parts[1])
        if parts[0] == "*" {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last else {
            return nil
        }
        if let total { guard last < total else { return nil } } else { guard parts[1] == "*" else { return nil } }
        self = .part(first: first, last: last, total: total)
    }

    private static func number(_ text: Substring) -> Int? { PeerNumber.integer(text, in: 0...Int.max) }
}
