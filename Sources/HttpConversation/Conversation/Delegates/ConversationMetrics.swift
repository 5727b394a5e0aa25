public import HTTPTypes

/// The exchanges, bytes and duration of one conversation.
public struct ConversationMetrics: Sendable {
    /// One request of the caller and its response, such as a redirect, a challenge or the final response.
    public struct Exchange: Sendable {
        /// The method of the request.
        public let method: HTTPRequest.Method
        /// The target of the request.
        public let target: TargetURL
        /// The time when it was passed to the transport, since the start of the conversation.
        public let start: Duration
        /// The time when the head of the response arrived, since the start of the conversation; nil if none did.
        public internal(set) var answered: Duration?
        /// The status of the response.
        public internal(set) var status: HTTPResponse.Status?
        /// The HTTP version, if the transport knows it.
        public internal(set) var version: ProtocolVersion?
        /// Whether the connection had served another exchange before.
        public internal(set) var reusedConnection = false
        /// The connection, with its set-up times; nil if the transport does not know.
        public internal(set) var connection: ConnectionReport?
    }

    /// The exchanges, in order.
    public internal(set) var exchanges: [Exchange] = []
    /// The number of body bytes of the final response that the caller got.
    public internal(set) var bytesReceived = 0
    /// The duration of the conversation.
    public internal(set) var duration = Duration.zero
}
