/// What filters of all four kinds have in common.
public protocol ConversationFilter: Sendable {
    /// What the filter needs of the transport; a conversation over one that lacks it fails before anything is sent.
    /// Default: nothing.
    var requiredCapabilities: TransportCapabilities { get }
}

extension ConversationFilter {
    public var requiredCapabilities: TransportCapabilities { [] }
}
