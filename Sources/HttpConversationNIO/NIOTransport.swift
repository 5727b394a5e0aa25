public import HttpConversation

/// HTTP/1.1 over TCP and TLS on SwiftNIO: a keep-alive pool and one exchange at a time per connection.
public final class NIOTransport: HTTPTransport {
    /// The settings of this transport.
    public let configuration: Configuration

    /// A transport with a pool of its own.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    public var capabilities: TransportCapabilities { [.streamingRequests, .streamingResponses] }

    public func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        throw ConversationError(.internalInconsistency, "not there yet")
    }

    public func shutdown() async {}
}
