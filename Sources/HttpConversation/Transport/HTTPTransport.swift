public import HTTPTypes

/// Performs single exchanges. What a conversation stands on.
///
/// A transport never follows a redirect, never touches cookies and never answers a 401 or 407: conversations do. The
/// NIO transport is the default; write one of your own to run conversations over something else.
///
/// One exchange at a time is described by a ``TransportRequest``; any number run in parallel.
///
/// Whether one of your own does what conversations rely on is what `HttpConversationConformance` finds out, a product for
/// tests. Its article *Writing a transport* says what that is.
///
/// ```swift
/// let report = try await TransportConformance.run("my transport") { setup in
///     MyTransport(trusting: setup.trustRoots)
/// }
/// print(report)
/// ```
public protocol HTTPTransport: Sendable {
    /// What this transport can do beyond plain exchanges.
    var capabilities: TransportCapabilities { get }

    /// The settings of this transport that decide which servers it speaks to. A transport around another one hands on that
    /// one's. Default: none.
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

/// One exchange to be performed.
public struct TransportRequest: Sendable {
    /// Where it goes: the only source for connecting and SNI, and for `Host` unless ``TransportOptions/hostField`` says
    /// what that is.
    public let target: TargetURL
    /// The method.
    public let method: HTTPRequest.Method
    /// The header fields, without framing (`Host`, `Content-Length`, `Transfer-Encoding`, `Connection`): the transport's.
    public let headerFields: HTTPFields
    /// The body; the transport opens and reads it.
    public let body: RequestBody?
    /// Time limits and switches for this exchange.
    public let options: TransportOptions

    /// Describes an exchange.
    public init(
        target: TargetURL, method: HTTPRequest.Method, headerFields: HTTPFields, body: RequestBody?,
        options: TransportOptions
    ) {
        self.target = target
        self.method = method
        self.headerFields = headerFields
        self.body = body
        self.options = options
    }
}

/// Time limits and switches of one exchange.
public struct TransportOptions: Sendable {
    /// For connecting, TLS handshake and waiting for a pooled connection included.
    public var connectTimeout: Duration = .seconds(30)
    /// Between two pieces of progress while the exchange waits for the peer.
    public var idleTimeout: Duration = .seconds(60)
    /// For the whole exchange, body included; nil means no limit.
    public var timeLimit: Duration?
    /// Whether to ask for gzip and deflate and to undo them.
    public var decompresses = true
    /// Asked where the server wants a client certificate; nil: it is told that there is none.
    public var clientIdentity: ClientIdentitySource?
    /// The way through a proxy; nil: straight to the server. A transport that knows none is never given one; one that does
    /// goes that way or fails (security rule S25). Where the proxy makes no tunnel, its answer is the response, with
    /// ``TransportResponse/isFromProxy``.
    public var proxy: ProxyRoute?
    /// Whether somebody wants to know about connections: what only ``TransportResponse/connection`` needs can be left out
    /// where nobody does.
    public var reportsConnection = false
    /// Asked about the server's certificate, after the platform's verification; nil: that alone counts. Its
    /// ``ServerTrustPolicy/terms(for:)`` add authorities and accepted keys for this origin.
    public var serverTrust: ServerTrustPolicy?
    /// Sent as `Host`, over HTTP/2 as `:authority`, instead of the target's; nil: the target's. Nothing else goes by it. A
    /// transport without ``TransportCapabilities/hostField`` is never given one.
    public var hostField: HostField?

    /// The defaults.
    public init() {}
}

/// The head of a response and its body, still arriving.
public struct TransportResponse: Sendable {
    /// Status and header fields.
    public let head: HTTPResponse
    /// The body; dropping it cancels the exchange.
    public let body: ResponseBody
    /// Whether the exchange ran over a connection that had served another one before.
    public let reusedConnection: Bool
    /// The version of HTTP that the exchange ran over; nil where the transport does not know.
    public let version: ProtocolVersion?
    /// Whether it is a proxy's answer to `CONNECT`: the server of the request has never been reached (security rule S5).
    public let isFromProxy: Bool
    /// What is known of the connection; nil where nobody asked (``TransportOptions/reportsConnection``), or the transport
    /// does not know.
    public var connection: ConnectionReport?
    /// Why the transport sent the request again before this response came, for people; one reason each time.
    public var repetitions: [String] = []

    /// Describes a response.
    public init(
        head: HTTPResponse, body: ResponseBody, reusedConnection: Bool = false, version: ProtocolVersion? = nil,
        isFromProxy: Bool = false
    ) {
        self.head = head
        self.body = body
        self.reusedConnection = reusedConnection
        self.version = version
        self.isFromProxy = isFromProxy
    }
}

/// Where a transport's body chunks come from. One consumer, one call at a time.
public protocol TransportBody: AnyObject, Sendable {
    /// The next chunk, or nil at the end; suspends until there is one.
    func next() async throws(ConversationError) -> [UInt8]?
    /// Ends the exchange; harmless after the end.
    func cancel()
}

/// A body that yields other bytes than come over the wire, and can bound those.
package protocol BoundedTransportBody: TransportBody {
    /// From here on more than so many bytes on the wire are ``ConversationError/Code/tooLarge``.
    func bound(transferTo count: Int)
}
