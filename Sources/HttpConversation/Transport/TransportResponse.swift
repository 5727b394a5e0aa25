public import HTTPTypes

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
    /// The secrets that were sent, which the response may repeat; nil if its texts are shown nowhere.
    private(set) var sent: SentFields?

    /// Notes the secrets that were sent. A reason phrase is for people only (RFC 9112 §4): secrets that it repeats are
    /// hidden for good.
    ///
    /// - Parameters:
    ///   - observed: the secrets of this request and of earlier ones; nil without observers
    ///   - sent: the same without observers, made if there is a text to search
    @inline(never) mutating func note(observed: SentFields?, else sent: @autoclosure () -> SentFields) {
        self.sent = observed
        let status = head.status
        let reason = status.reasonPhrase
        let isUsual = reason.utf8.count < KnownSecrets.shortest || Self.usualReasons.contains(reason)
        let mayHaveChallenges = status.code == 401 || status.code == 407
        guard !isUsual || mayHaveChallenges else { return }
        let sent = observed ?? sent()
        self.sent = sent
        guard !isUsual else { return }
        let shown = sent.hidden(in: reason)
        if shown != reason { head.status = HTTPResponse.Status(code: status.code, reasonPhrase: shown) }
    }

    /// Reason phrases of RFC 9110 §15, which need no search.
    private static let usualReasons: Set = [
        "Created", "Accepted", "No Content", "Partial Content", "Moved Permanently", "See Other", "Not Modified",
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
