public import HttpConversation

/// The result of a probe.
public struct ProbeReport: Sendable, CustomStringConvertible {
    /// The kind of server that the probe looked for.
    public let communicator: Communicator
    /// The probed address.
    public let target: TargetURL
    /// The answer's status; nil without an answer.
    public let status: Int?
    /// A sentence: the status and the missing evidence, or the failure of the request.
    public let text: String
    /// The failure of a request without an answer.
    let failure: ConversationError.Code?

    /// The kind of server, the address and the result.
    public var description: String { "\(communicator) at \(target): \(text)" }
}
