/// The base of all four kinds of filter.
public protocol ConversationFilter: Sendable {
    /// The capabilities that the filter needs; a conversation over a transport without them fails before anything is
    /// sent. Default: none.
    var requiredCapabilities: TransportCapabilities { get }
}

extension ConversationFilter {
    public var requiredCapabilities: TransportCapabilities { [] }
}
