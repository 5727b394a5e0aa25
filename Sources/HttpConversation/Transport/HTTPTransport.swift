public import HTTPTypes

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

/// A single exchange.
public struct TransportRequest: Sendable {
    /// The destination: the only source for connecting and SNI, and for `Host` unless ``TransportOptions/hostField`` is
    /// set.
    public let target: TargetURL
    /// The method.
    public let method: HTTPRequest.Method
    /// The header fields, without framing (`Host`, `Content-Length`, `Transfer-Encoding`, `Connection`), which the
    /// transport adds.
    public let headerFields: HTTPFields
    /// The body; the transport opens and reads it.
    public let body: RequestBody?
    /// Time limits and switches for this exchange.
    public let options: TransportOptions

    /// Creates an exchange.
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
    /// The timeout for connecting, including TLS handshake and waiting for a pooled connection.
    public var connectTimeout: Duration = .seconds(30)
    /// The maximum time without progress while the exchange waits for the peer.
    public var idleTimeout: Duration = .seconds(60)
    /// The time limit for the whole exchange, including the body; nil means no limit.
    public var timeLimit: Duration?
    /// Whether to request gzip and deflate and to decode them.
    public var decompresses = true
    /// Asked if the server wants a client certificate; nil: the server is told that there is none.
    public var clientIdentity: ClientIdentitySource?
    /// The route through a proxy; nil: direct. A transport without the capability never gets one. Others use it or fail
    /// (security rule S25). If the proxy does not make a tunnel, its answer is the response, with
    /// ``TransportResponse/isFromProxy``.
    public var proxy: ProxyRoute?
    /// Whether connections are to be reported; if not, work that only ``TransportResponse/connection`` needs can be
    /// skipped.
    public var reportsConnection = false
    /// Asked about the server's certificate, after the platform's verification; nil: that alone decides. Its
    /// ``ServerTrustPolicy/terms(for:)`` add authorities and accepted keys for this origin.
    public var serverTrust: ServerTrustPolicy?
    /// The owner of the connection; nil: nobody. Exchanges share a connection only if they have the same owner, or
    /// none: a server may know the person by it. A transport without ``TransportCapabilities/connectionOwners`` never
    /// gets one.
    public var connectionOwner: ConnectionOwner?
    /// The value of `Host`, over HTTP/2 of `:authority`; nil: the target's. It affects nothing else. A transport
    /// without ``TransportCapabilities/hostField`` never gets one.
    public var hostField: HostField?
    /// The protocol that the connection is to change to, such as `websocket`; nil: none. The request goes over
    /// HTTP/1.1, through a proxy in a tunnel. Only after a 101 that names this protocol is the request's body read and
    /// sent, as it is; the response's body is then what the server sends. The end of either side's bytes closes the
    /// connection. A transport without ``TransportCapabilities/upgrades`` never gets one.
    public var upgrade: String?

    /// Creates the default options.
    public init() {}
}

/// The head of a response and its body, still arriving.
public struct TransportResponse: Sendable {
    /// Status and header fields.
    public internal(set) var head: HTTPResponse
    /// The body; dropping it cancels the exchange.
    public let body: ResponseBody
    /// Whether the connection had served another exchange before.
    public let reusedConnection: Bool
    /// The HTTP version of the exchange; nil if the transport does not know.
    public let version: ProtocolVersion?
    /// Whether it is a proxy's answer to `CONNECT`: the request has not reached its server (security rule S5).
    public let isFromProxy: Bool
    /// The report about the connection; nil if it was not requested (``TransportOptions/reportsConnection``), or the
    /// transport has none.
    public var connection: ConnectionReport?
    /// The reasons, for people, why the transport repeated the request before this response; one for each repetition.
    public var repetitions: [String] = []
    /// The fields of the request that it answers, whose secrets it may repeat; nil until the conversation has noted
    /// them.
    private(set) var sent: Redacted<HTTPFields>?

    /// Notes the fields of the request. A reason phrase is for people only (RFC 9112 §4): secrets that it repeats are
    /// hidden for good.
    @inline(never) mutating func note(sent fields: HTTPFields) {
        sent = Redacted(fields)
        let reason = head.status.reasonPhrase
        guard !Self.usualReasons.contains(reason) else { return }
        let shown = KnownSecrets.hidden(in: reason, sentIn: fields)
        if shown != reason { head.status = HTTPResponse.Status(code: head.status.code, reasonPhrase: shown) }
    }

    /// Reason phrases of RFC 9110 §15, which need no search.
    private static let usualReasons: Set = [
        "OK", "Created", "Accepted", "No Content", "Partial Content", "Moved Permanently", "See Other", "Not Modified",
        "Temporary Redirect", "Permanent Redirect", "Bad Request", "Unauthorized", "Forbidden", "Not Found",
        "Proxy Authentication Required", "Conflict", "Precondition Failed", "Too Many Requests",
        "Internal Server Error", "Bad Gateway", "Service Unavailable",
    ]

    /// Creates a response.
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
