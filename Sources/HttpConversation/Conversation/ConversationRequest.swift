public import Foundation
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
    /// The conversation, for whoever gets the request from it; nil for one that is not under way.
    public package(set) var context: ConversationContext?

    /// The target as Foundation's type, fragment included.
    public var url: URL { target.url }

    /// The request as swift-http-types has it.
    public var httpRequest: HTTPRequest { HTTPRequest(method, target, fields: headerFields) }

    /// Checks an HTTP request.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme`` or
    ///   ``ConversationError/Code/invalidRequest``
    public init(_ request: HTTPRequest, body: RequestBody? = nil) throws(ConversationError) {
        try self.init(
            method: request.method, target: TargetURL(request), headerFields: request.headerFields, body: body)
    }

    /// Checks the parts of a request.
    public init(
        method: HTTPRequest.Method, target: TargetURL, headerFields: HTTPFields = [:], body: RequestBody? = nil
    ) throws(ConversationError) {
        try target.refuseUserinfo()
        if let host = headerFields[Self.host], host.lowercased() != target.origin.authority {
            throw ConversationError(
                .invalidRequest,
                "A Host field of one's own is refused: \(target.origin) decides where the request goes. Change the URL instead."
            )
        }
        self.method = method
        self.target = target
        self.headerFields = headerFields
        self.body = body
    }

    private static let host = HTTPField.Name("Host")!  // a literal token
}
