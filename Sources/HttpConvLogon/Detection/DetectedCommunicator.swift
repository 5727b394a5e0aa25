public import HttpConversation

/// The server that was found at an address.
public struct DetectedCommunicator: Hashable, Sendable {
    /// The kind of server.
    public let communicator: Communicator
    /// The root of its services; the path ends with a slash.
    public let root: TargetURL
}
