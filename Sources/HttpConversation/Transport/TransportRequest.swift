public import HTTPTypes

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

    /// The same exchange with another body.
    func with(body: RequestBody?) -> TransportRequest {
        TransportRequest(
            target: target, method: method, headerFields: headerFields, body: body, options: options)
    }
}
