/// Performs single exchanges, for conversations.
///
/// A transport never follows a redirect, never touches cookies and never answers a 401 or 407: conversations do. The
/// NIO transport is the default; write your own to run conversations over something else.
///
/// A ``TransportRequest`` describes one exchange; any number run in parallel.
///
/// `HttpConversationConformance`, a module for tests, checks that a transport of your own does what conversations rely
/// on. Its article *Writing a transport* lists the requirements.
///
/// ```swift
/// let report = try await TransportConformance.run("my transport") { setup in
///     MyTransport(trusting: setup.trustRoots)
/// }
/// print(report)
/// ```
public protocol HTTPTransport: Sendable {
    /// The capabilities of this transport beyond plain exchanges.
    var capabilities: TransportCapabilities { get }

    /// The settings of this transport that decide which servers it connects to. A transport that wraps another one
    /// returns the settings of that one. Default: none.
    var connectionPolicy: ConnectionPolicy { get }

    /// Sends one request and returns once the final response head (not 1xx) is there.
    ///
    /// Cancelling the task, or dropping the response's body, ends the exchange at once.
    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse

    /// Ends idle connections, waits for running exchanges, refuses new ones.
    func shutdown() async
}

extension HTTPTransport {
    public var connectionPolicy: ConnectionPolicy { ConnectionPolicy() }
}
