public import HTTPTypes

/// What one conversation took, exchange by exchange.
public struct ConversationMetrics: Sendable {
    /// One request of the caller's and its answer, such as a redirect, a challenge or the final response.
    public struct Exchange: Sendable {
        /// The method of the request.
        public let method: HTTPRequest.Method
        /// Where it went.
        public let target: TargetURL
        /// When it was handed to the transport, from the start of the conversation.
        public let start: Duration
        /// When the head of the answer was there, from the start of the conversation; nil where none came.
        public internal(set) var answered: Duration?
        /// The status of the answer.
        public internal(set) var status: HTTPResponse.Status?
        /// The version of HTTP that was spoken, where the transport knows it.
        public internal(set) var version: ProtocolVersion?
        /// Whether the connection had served another exchange before.
        public internal(set) var reusedConnection = false
        /// The connection, with the time that it took to open; nil where the transport does not know.
        public internal(set) var connection: ConnectionReport?
    }

    /// The exchanges in order.
    public internal(set) var exchanges: [Exchange] = []
    /// The bytes of the final response's body that the caller got.
    public internal(set) var bytesReceived = 0
    /// From the start of the conversation to its end.
    public internal(set) var duration = Duration.zero
}
