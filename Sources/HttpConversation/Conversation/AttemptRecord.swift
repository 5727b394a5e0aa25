/// One attempt, or one repetition of an exchange within it, and why it was made.
public struct AttemptRecord: Hashable, Sendable {
    /// Counts from 1.
    public let number: Int
    /// Where the exchange went; printed redacted.
    public let target: TargetURL
    /// Why this attempt was made: `first`, `challenge answered`, or the reason a filter gave.
    public let reason: String
    /// The status of the last response of this attempt, where one arrived.
    public internal(set) var status: Int?

    package init(number: Int, target: TargetURL, reason: String, status: Int? = nil) {
        self.number = number
        self.target = target
        self.reason = reason
        self.status = status
    }
}

extension AttemptRecord: CustomStringConvertible {
    /// Such as `2. challenge answered: https://example.com/ → 401`.
    public var description: String {
        "\(number). \(TerminalText.sanitise(reason)): \(target) → \(status.map(String.init) ?? "no response")"
    }
}
