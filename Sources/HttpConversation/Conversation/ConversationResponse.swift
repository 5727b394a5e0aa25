public import HTTPTypes
public import HttpConvPlatform

/// The final response of a conversation, with its body in memory.
public struct ConversationResponse: Sendable {
    /// Status and header fields.
    public let head: HTTPResponse
    /// The body's bytes, content codings removed.
    public let bytes: [UInt8]
    /// The URL of the exchange with this response, after redirects.
    public let url: TargetURL
    /// The HTTP version of this exchange; nil if the transport does not know.
    public let version: ProtocolVersion?
    /// The conversation's context, with the values that filters left there.
    public let context: ConversationContext
    /// The attempts, in order; a single one if the first exchange was final.
    public let attempts: [AttemptRecord]
    /// The result of the login: not asked for, accepted, refused, or missing.
    public let login: LoginOutcome

    package init(
        head: HTTPResponse, bytes: [UInt8], url: TargetURL, version: ProtocolVersion? = nil,
        context: ConversationContext, attempts: [AttemptRecord], login: LoginOutcome = .notAsked
    ) {
        self.head = head
        self.bytes = bytes
        self.url = url
        self.version = version
        self.context = context
        self.attempts = attempts
        self.login = login
    }

    /// The status code and reason phrase.
    public var status: HTTPResponse.Status { head.status }
    /// The header fields.
    public var headerFields: HTTPFields { head.headerFields }
    /// The body as Foundation's type.
    public var data: Data { Data(bytes) }
    /// The body decoded as UTF-8, with replacement characters for invalid bytes.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The conversation's id.
    public var id: ConversationID { context.id }
}

/// The final response of a conversation, with its body as a back-pressured sequence.
///
/// The body can be iterated once; dropping it cancels the exchange.
public struct ConversationStream: Sendable {
    /// Status and header fields.
    public let head: HTTPResponse
    /// The body in chunks, content codings removed.
    public let body: ResponseBody
    /// The URL of the exchange with this response, after redirects.
    public let url: TargetURL
    /// The HTTP version of this exchange; nil if the transport does not know.
    public let version: ProtocolVersion?
    /// The conversation's context.
    public let context: ConversationContext
    /// The attempts, in order.
    public let attempts: [AttemptRecord]
    /// The result of the login: not asked for, accepted, refused, or missing.
    public let login: LoginOutcome
    /// The fields of the last request. The request itself would keep its body in memory.
    let requestFields: HTTPFields
    /// The proxy of the last request.
    let proxy: ProxyUse?

    /// The secrets that were sent, which the body may repeat (security rule S20). Without observers, those of the last
    /// request and those that flows have noted.
    package var sent: SentFields { SentFields(requestFields, proxy, after: context.sentFields) }

    /// The status code and reason phrase.
    public var status: HTTPResponse.Status { head.status }
    /// The header fields.
    public var headerFields: HTTPFields { head.headerFields }
    /// The announced length of the body in bytes; nil without one, or if a content coding hides it.
    public var expectedLength: Int? { body.expectedLength }
    /// The conversation's id.
    public var id: ConversationID { context.id }
}
