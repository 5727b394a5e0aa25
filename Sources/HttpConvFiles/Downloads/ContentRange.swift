public import HTTPTypes
import HttpConvFormats

/// The range of a representation that a response has (RFC 9110 §14.4).
public enum ContentRange: Equatable, Sendable {
    /// The first and the last byte, and the total; nil if the server does not know it.
    case part(first: Int, last: Int, total: Int?)
    /// No bytes: the requested range is beyond the total.
    case unsatisfied(total: Int)

    /// The range of a response. Returns nil if there is none, more than one, or an invalid one.
    public init?(of fields: HTTPFields) {
        let values = fields[values: .contentRange]
        guard let value = values.first, values.count == 1 else { return nil }
        self.init(value)
    }

    /// Parses a value such as `bytes 0-499/1234`.
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
