public import HTTPTypes

/// A request on its way through the filters: the HTTP request, its checked target and its body.
public struct ConversationRequest: Sendable {
    /// Method and header fields. Its scheme, authority and path follow `target`, which alone decides where it goes.
    public var method: HTTPRequest.Method
    /// The header fields as they will be sent, framing fields excepted.
    public var headerFields: HTTPFields
    /// Where the request goes.
    public var target: TargetURL
    /// What is sent after the head; nil means no body.
    public var body: RequestBody?
    /// How the target is written in the request line of whom a credential is computed for.
    var targetForm = TargetForm.origin
    /// The conversation, for whoever gets the request from it; nil for one that is not under way.
    public package(set) var context: ConversationContext?

    /// The request as swift-http-types has it.
    public var httpRequest: HTTPRequest { HTTPRequest(method, target, fields: headerFields) }

    /// The target as whoever gets the credential reads it (RFC 9112 §3.2): path and query; for a proxy the whole URL, or of
    /// a `CONNECT` host and port. Digest puts it under its proof.
    public var requestTarget: String {
        switch targetForm {
        case .origin: target.requestTarget
        case .absolute: target.origin.description + target.requestTarget
        case .authority: target.origin.hostAndPort
        }
    }

    /// The forms of a request target (RFC 9112 §3.2).
    enum TargetForm { case origin, absolute, authority }

    /// Checks an HTTP request.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme`` or
    ///   ``ConversationError/Code/invalidRequest``
    public init(_ request: HTTPRequest, body: RequestBody? = nil) throws(ConversationError) {
        try self.init(
            method: request.method, target: TargetURL(request), headerFields: request.headerFields, body: body)
    }

    /// Checks the parts of a request.
    ///
    /// - Throws: as the other one
    public init(
        method: HTTPRequest.Method, target: some TargetURLConvertible, headerFields: HTTPFields = [:],
        body: RequestBody? = nil
    ) throws(ConversationError) {
        let target = try target.targetURL()
        try target.refuseUserinfo()
        if let host = headerFields[Self.host], host.lowercased() != target.origin.authority {
            throw ConversationError(
                .invalidRequest,
                "A Host field of one's own is refused: \(target.origin) decides where the request goes. Change the URL instead, or say what Host is to be in the configuration's hostFields."
            )
        }
        // Through a tunnel, or without a proxy, it would go to the server.
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

    /// The body's media type, unless the caller or a filter has named one.
    mutating func nameContentType() {
        guard let type = body?.contentType, !headerFields.contains(.contentType) else { return }
        headerFields[.contentType] = type
    }

    private static let host = HTTPField.Name("Host")!  // a literal token
}
