public import HTTPTypes
import HttpConvFormats

extension HttpConversationManager {
    /// Asks a server to change the connection to another protocol (RFC 9110 §7.8), such as WebSocket, with the
    /// conversation's logins, cookies and settings.
    ///
    /// Logins, challenges and redirects are handled as for any request; a redirect is followed without the change. The
    /// connection speaks HTTP/1.1 until then.
    ///
    /// ```swift
    /// let stream = try await manager.upgrade(to: "websocket", for: request, sending: frames)
    /// guard stream.status == .switchingProtocols else { return }   // the server's answer instead
    /// for try await bytes in stream.body { … }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the value of `Upgrade`, such as `websocket`, in lower case
    ///   - request: a GET request, with the fields that the protocol needs, such as `Sec-WebSocket-Key`
    ///   - body: the bytes to send after the change. It is read only then, and its end closes the connection
    ///   - delegate: the delegate of this conversation, in addition to the manager's
    ///   - prepare: puts values into the conversation's context before it starts, for filters and providers
    /// - Returns: a response with the status 101, whose body is what the server sends; or, with any other status, the
    ///   server's answer instead of the change
    /// - Throws: ``ConversationError/Code/invalidRequest``, ``ConversationError/Code/invalidConfiguration`` for a
    ///   transport without ``TransportCapabilities/upgrades``, and the errors of every conversation
    public func upgrade(
        to name: String, for request: HTTPRequest, sending body: RequestBody,
        delegate: (any ConversationDelegate)? = nil, prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationStream {
        guard !name.isEmpty, name.utf8.allSatisfy({ $0.isTokenByte && !$0.isASCIICapital }) else {
            throw ConversationError(
                .invalidRequest, "A protocol to change to is a token in lower case, such as websocket.")
        }
        guard request.method == .get else {
            throw ConversationError(.invalidRequest, "Only a GET request can change the protocol of its connection.")
        }
        guard transport.capabilities.contains(.upgrades) else {
            throw ConversationError(
                .invalidConfiguration,
                "The transport \(type(of: transport)) cannot change a connection to \(name). Nothing was sent: use another transport."
            )
        }
        var checked = try ConversationRequest(request, body: body)
        checked.upgrade = name
        let runner = runner(delegate)
        return try await ConversationRunner.stream(checked, in: runner.context(for: checked, prepare))
    }
}
