public import HTTPTypes
public import HttpConvPlatform

/// Requests by method and URL. Each is a conversation like `data(for:)`: a response with an error status is returned,
/// unless a value is to be decoded from it.
extension HttpConversationManager {
    /// Sends a request with any method.
    ///
    /// - Parameters:
    ///   - method: the request method
    ///   - url: absolute, http or https
    ///   - body: the request's body; nil: none
    ///   - fields: the header fields
    /// - Throws: `ConversationError`
    public func data(
        _ method: HTTPRequest.Method = .get, for url: some TargetURLConvertible, body: RequestBody? = nil,
        fields: HTTPFields = [:]
    ) async throws(ConversationError) -> ConversationResponse {
        try await data(for: HTTPRequest(method, url, fields: fields), body: body)
    }

    /// Returns a response with its body as a back-pressured sequence.
    ///
    /// - Parameters:
    ///   - method: the request method
    ///   - url: absolute, http or https
    ///   - body: the request's body; nil: none
    ///   - fields: the header fields
    /// - Throws: `ConversationError`
    public func bytes(
        _ method: HTTPRequest.Method = .get, for url: some TargetURLConvertible, body: RequestBody? = nil,
        fields: HTTPFields = [:]
    ) async throws(ConversationError) -> ConversationStream {
        try await bytes(for: HTTPRequest(method, url, fields: fields), body: body)
    }

    /// Gets a resource (RFC 9110 §9.3.1).
    public func get(
        _ url: some TargetURLConvertible, fields: HTTPFields = [:]
    ) async throws(ConversationError) -> ConversationResponse {
        try await data(.get, for: url, fields: fields)
    }

    /// Gets the head of a resource, as a GET would return it (RFC 9110 §9.3.2).
    public func head(
        _ url: some TargetURLConvertible, fields: HTTPFields = [:]
    ) async throws(ConversationError) -> ConversationResponse {
        try await data(.head, for: url, fields: fields)
    }

    /// Posts a body to a resource (RFC 9110 §9.3.3).
    public func post(
        _ url: some TargetURLConvertible, _ body: RequestBody? = nil, fields: HTTPFields = [:]
    ) async throws(ConversationError) -> ConversationResponse {
        try await data(.post, for: url, body: body, fields: fields)
    }

    /// Replaces a resource (RFC 9110 §9.3.4).
    public func put(
        _ url: some TargetURLConvertible, _ body: RequestBody? = nil, fields: HTTPFields = [:]
    ) async throws(ConversationError) -> ConversationResponse {
        try await data(.put, for: url, body: body, fields: fields)
    }

    /// Changes a part of a resource (RFC 5789).
    public func patch(
        _ url: some TargetURLConvertible, _ body: RequestBody? = nil, fields: HTTPFields = [:]
    ) async throws(ConversationError) -> ConversationResponse {
        try await data(.patch, for: url, body: body, fields: fields)
    }

    /// Removes a resource (RFC 9110 §9.3.5).
    public func delete(
        _ url: some TargetURLConvertible, _ body: RequestBody? = nil, fields: HTTPFields = [:]
    ) async throws(ConversationError) -> ConversationResponse {
        try await data(.delete, for: url, body: body, fields: fields)
    }

    // MARK: Values

    /// Gets a resource and decodes it from JSON.
    ///
    /// ```swift
    /// let order = try await manager.get("https://example.com/orders/7", as: Order.self)
    /// ```
    /// `Accept: application/json` is sent unless `fields` has another.
    /// - Throws: ``ConversationError/Code/unsuccessfulStatus`` and ``ConversationError/Code/bodyNotDecodable``, which
    ///   carry the ``ConversationError/response``, and the errors of every conversation
    public func get<Value: Decodable>(
        _ url: some TargetURLConvertible, fields: HTTPFields = [:], as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws(ConversationError) -> Value {
        try await value(.get, for: url, fields: fields, as: type, decoder: decoder)
    }

    /// Posts a body to a resource, and decodes the answer from JSON; like
    /// ``get(_:fields:as:decoder:)-(_,HTTPFields,_,_)``.
    ///
    /// ```swift
    /// let receipt = try await manager.post("https://example.com/orders", .json(order), as: Receipt.self)
    /// ```
    public func post<Value: Decodable>(
        _ url: some TargetURLConvertible, _ body: RequestBody? = nil, fields: HTTPFields = [:], as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws(ConversationError) -> Value {
        try await value(.post, for: url, body: body, fields: fields, as: type, decoder: decoder)
    }

    /// Sends any request, and decodes the answer from JSON; like ``get(_:fields:as:decoder:)-(_,HTTPFields,_,_)``.
    public func value<Value: Decodable>(
        _ method: HTTPRequest.Method = .get, for url: some TargetURLConvertible, body: RequestBody? = nil,
        fields: HTTPFields = [:], as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) async throws(ConversationError) -> Value {
        var fields = fields
        if !fields.contains(.accept) { fields[.accept] = "application/json" }
        return try await data(method, for: url, body: body, fields: fields).successful().decoded(decoder: decoder)
    }
}
