public import HTTPTypes

/// A request on its way through the filters: the HTTP request, its checked target and its body.
public struct ConversationRequest: Sendable {
    /// The method. The request's scheme, authority and path follow from `target`, which alone decides its destination.
    public var method: HTTPRequest.Method
    /// The header fields as they will be sent, without framing fields.
    public var headerFields: HTTPFields
    /// The destination of the request.
    public var target: TargetURL
    /// The body; nil: none.
    public var body: RequestBody?
    /// The protocol that the connection is to change to; nil: none. The body is then what is sent after the change. A
    /// redirect is followed without it.
    public internal(set) var upgrade: String?
    /// The form of the target in the request line, as the credential's recipient reads it.
    var targetForm = TargetForm.origin
    /// The conversation, for filters and others that get the request; nil for a request outside of one.
    public package(set) var context: ConversationContext?

    /// The request as a value of swift-http-types.
    public var httpRequest: HTTPRequest { HTTPRequest(method, target, fields: headerFields) }

    /// The target as the credential's recipient reads it (RFC 9112 §3.2): path and query; for a proxy the whole URL, or
    /// host and port for a `CONNECT`. Digest includes it in its proof.
    public var requestTarget: String {
        switch targetForm {
        case .origin: target.requestTarget
        case .absolute: target.absoluteForm
        case .authority: target.origin.hostAndPort
        }
    }

    /// The forms of a request target (RFC 9112 §3.2).
    enum TargetForm { case origin, absolute, authority }

    /// Creates a request from an HTTP request, and checks it.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme`` or
    ///   ``ConversationError/Code/invalidRequest``
    public init(_ request: HTTPRequest, body: RequestBody? = nil) throws(ConversationError) {
        try self.init(
            method: request.method, target: TargetURL(request), headerFields: request.headerFields, body: body)
    }

    /// Creates a request from its parts, and checks them.
    ///
    /// - Throws: as ``init(_:body:)``
    public init(
        method: HTTPRequest.Method, target: some TargetURLConvertible, headerFields: HTTPFields = [:],
        body: RequestBody? = nil
    ) throws(ConversationError) {
        let target = try target.targetURL()
        try target.refuseUserinfo()
        if let host = headerFields.value(of: Self.host), host.lowercased() != target.origin.authority {
            throw ConversationError(
                .invalidRequest,
                "A Host field of one's own is refused: \(target.origin) decides where the request goes. Change the URL instead, or say what Host is to be in the configuration's hostFields."
            )
        }
        // Through a tunnel, or without a proxy, the field would reach the server.
        guard !headerFields.contains(.proxyAuthorization) else {
            throw ConversationError(
                .invalidRequest,
                "A Proxy-Authorization field of one's own is refused, since it could reach the server: give the login to the proxy (ProxyServer.login), or a UsernamePasswordProvider that serves it."
            )
        }
        self.method = method
        self.target = target
        self.headerFields = headerFields
        self.body = body
        nameContentType()
    }

    /// Sets the body's media type, unless the caller or a filter has set one.
    mutating func nameContentType() {
        guard let type = body?.contentType, !headerFields.contains(.contentType) else { return }
        headerFields[.contentType] = type
    }

    // swift-format-ignore: NeverForceUnwrap
    private static let host = HTTPField.Name("Host")!
}

extension ObservedRequest {
    /// Not an initializer, which would copy the request first.
    ///
    /// - Parameter sent: the fields that were sent up to this request
    static func request(
        _ request: ConversationRequest, hostField: HostField? = nil, sent: SentFields? = nil
    ) -> ObservedRequest {
        ObservedRequest(
            method: request.method, target: request.target, headerFields: Redacted(request.headerFields),
            hostField: hostField, bodyLength: request.body?.length, sent: sent)
    }
}
