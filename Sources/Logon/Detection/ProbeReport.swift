public import HttpConversation

/// What a probe saw.
public struct ProbeReport: Sendable, CustomStringConvertible {
    /// What was looked for.
    public let communicator: Communicator
    /// Where.
    public let target: TargetURL
    /// The answer's status; nil where there was no answer.
    public let status: Int?
    /// In words: the status and what is missing, or why there is no answer.
    public let text: String

    /// What was looked for, where, and what was there.
    public var description: String { "\(communicator) at \(target): \(text)" }
}
