public import HTTPTypes

extension HttpConversationManager {
    /// Logs in ahead of other requests: before a large upload, which then succeeds at once, or when an application
    /// starts.
    ///
    /// Sends a `HEAD` if every response filter recognises its challenge without a body
    /// (``ResponseFilter/inspectsBodies``), and the server knows the method; else a `GET` whose body is dropped.
    ///
    /// ```swift
    /// try await manager.preflight("https://example.com/inbox/")
    /// _ = try await manager.upload(for: request, from: .oneShot(stream))
    /// ```
    /// A delegate is asked about redirects and gets the end, but not the body, which is dropped.
    ///
    /// - Parameters:
    ///   - url: absolute, http or https; a URL that asks for the same login as the later requests
    ///   - fields: the header fields
    /// - Returns: the final response, without its body
    /// - Throws: the errors of every conversation; a response with an error status is returned
    @discardableResult
    public func preflight(
        _ url: some TargetURLConvertible, fields: HTTPFields = [:]
    ) async throws(ConversationError) -> ConversationResponse {
        try await preflight(url, fields: fields) { _ in }
    }

    /// Logs in ahead of other requests, with values in the contexts of its conversations.
    package func preflight(
        _ url: some TargetURLConvertible, fields: HTTPFields, prepare: @Sendable (ConversationContext) -> Void
    ) async throws(ConversationError) -> ConversationResponse {
        let needsBody = configuration.responseFilters.entries.contains { $0.element.inspectsBodies }
        if !needsBody {
            let response = try await runner().head(for: try HTTPRequest(.head, url, fields: fields), prepare: prepare)
            guard [405, 501].contains(response.status.code) else { return response }
        }
        return try await runner().head(for: try HTTPRequest(.get, url, fields: fields), prepare: prepare)
    }
}
