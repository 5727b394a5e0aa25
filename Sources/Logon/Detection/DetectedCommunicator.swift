public import HttpConversation

/// What was found at an address.
public struct DetectedCommunicator: Hashable, Sendable {
    /// What is there.
    public let communicator: Communicator
    /// Where its services are; the path ends with a slash.
    public let root: TargetURL
}
