/// One attempt, or one repetition of an exchange within it, with its reason.
public struct AttemptRecord: Hashable, Sendable {
    /// Counts from 1.
    public let number: Int
    /// The target of the exchange; redacted when printed.
    public let target: TargetURL
    /// The reason for this attempt: `first`, `challenge answered`, or a filter's reason.
    public let reason: String
    /// The status of the last response of this attempt, if one arrived.
    public internal(set) var status: Int?

    /// The reason of a conversation's first attempt.
    public static let firstReason = "first"

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
