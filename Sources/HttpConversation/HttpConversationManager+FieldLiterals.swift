public import HTTPTypes
public import HttpConvPlatform

/// The verbs with header fields as text: ``FieldLiterals``. Each is the verb of the same name with `HTTPFields`.
extension HttpConversationManager {
    /// Sends a request with any method.
    @_disfavoredOverload
    public func data(
        _ method: HTTPRequest.Method = .get, for url: some TargetURLConvertible, body: RequestBody? = nil,
        fields: FieldLiterals
    ) async throws(ConversationError) -> ConversationResponse {
        try await data(method, for: url, body: body, fields: fields.checked())
    }

    /// Returns a response with its body as a back-pressured sequence.
    @_disfavoredOverload
    public func bytes(
        _ method: HTTPRequest.Method = .get, for url: some TargetURLConvertible, body: RequestBody? = nil,
        fields: FieldLiterals
    ) async throws(ConversationError) -> ConversationStream {
        try await bytes(method, for: url, body: body, fields: fields.checked())
    }

    /// Gets a resource.
    @_disfavoredOverload
    public func get(
        _ url: some TargetURLConvertible, fields: FieldLiterals
    ) async throws(ConversationError) -> ConversationResponse {
        try await get(url, fields: fields.checked())
    }

    /// Gets the head of a resource, as a GET would return it.
    @_disfavoredOverload
    public func head(
        _ url: some TargetURLConvertible, fields: FieldLiterals
    ) async throws(ConversationError) -> ConversationResponse {
        try await head(url, fields: fields.checked())
    }

    /// Posts a body to a resource.
    @_disfavoredOverload
    public func post(
        _ url: some TargetURLConvertible, _ body: RequestBody? = nil, fields: FieldLiterals
    ) async throws(ConversationError) -> ConversationResponse {
        try await post(url, body, fields: fields.checked())
    }

    /// Replaces a resource.
    @_disfavoredOverload
    public func put(
        _ url: some TargetURLConvertible, _ body: RequestBody? = nil, fields: FieldLiterals
    ) async throws(ConversationError) -> ConversationResponse {
        try await put(url, body, fields: fields.checked())
    }

    /// Changes a part of a resource.
    @_disfavoredOverload
    public func patch(
        _ url: some TargetURLConvertible, _ body: RequestBody? = nil, fields: FieldLiterals
    ) async throws(ConversationError) -> ConversationResponse {
        try await patch(url, body, fields: fields.checked())
    }

    /// Removes a resource.
    @_disfavoredOverload
    public func delete(
        _ url: some TargetURLConvertible, _ body: RequestBody? = nil, fields: FieldLiterals
    ) async throws(ConversationError) -> ConversationResponse {
        try await delete(url, body, fields: fields.checked())
    }

    /// Logs in ahead of other requests.
    @_disfavoredOverload @discardableResult
    public func preflight(
        _ url: some TargetURLConvertible, fields: FieldLiterals
    ) async throws(ConversationError) -> ConversationResponse {
        try await preflight(url, fields: fields.checked())
    }

    /// Gets a resource and decodes it from JSON.
    @_disfavoredOverload
    public func get<Value: Decodable>(
        _ url: some TargetURLConvertible, fields: FieldLiterals, as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws(ConversationError) -> Value {
        try await get(url, fields: fields.checked(), as: type, decoder: decoder)
    }

    /// Posts a body to a resource, and decodes the answer from JSON.
    @_disfavoredOverload
    public func post<Value: Decodable>(
        _ url: some TargetURLConvertible, _ body: RequestBody? = nil, fields: FieldLiterals, as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws(ConversationError) -> Value {
        try await post(url, body, fields: fields.checked(), as: type, decoder: decoder)
    }

    /// Sends any request, and decodes the answer from JSON.
    @_disfavoredOverload
    public func value<Value: Decodable>(
        _ method: HTTPRequest.Method = .get, for url: some TargetURLConvertible, body: RequestBody? = nil,
        fields: FieldLiterals, as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) async throws(ConversationError) -> Value {
        try await value(method, for: url, body: body, fields: fields.checked(), as: type, decoder: decoder)
    }
}

extension HTTPRequest {
    /// Creates a request for a URL with header fields as text, and checks everything.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme`` or
    ///   ``ConversationError/Code/invalidRequest``
    @_disfavoredOverload
    public init(
        _ method: HTTPRequest.Method = .get, _ url: some TargetURLConvertible, fields: FieldLiterals
    ) throws(ConversationError) {
        try self.init(method, url, fields: fields.checked())
    }
}

/// Header fields as text, such as the literal `["X-Tenant": "blue"]`. They are checked when the request is made.
///
/// Every verb with `fields:` accepts such a literal instead of `HTTPFields`:
///
/// ```swift
/// let report = try await manager.get("https://example.com/report", fields: ["X-Tenant": "blue", "Accept": "text/csv"])
/// ```
/// An invalid name or value throws ``ConversationError/Code/invalidRequest`` before anything is sent. Nothing is
/// changed silently.
public struct FieldLiterals: ExpressibleByDictionaryLiteral, Sendable {
    private let fields: [(name: String, value: String)]

    /// The fields of a literal, in order; a name may occur more than once.
    public init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }

    /// Fields from a program's own list.
    public init(_ fields: [(String, String)]) { self.fields = fields.map { (name: $0.0, value: $0.1) } }

    /// The fields, checked.
    ///
    /// - Throws: ``ConversationError/Code/invalidRequest``
    public func checked() throws(ConversationError) -> HTTPFields {
        var result = HTTPFields()
        for (name, value) in fields { result.append(try HTTPField(checking: name, value)) }
        return result
    }
}
