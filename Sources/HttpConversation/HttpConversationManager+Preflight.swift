public import HTTPTypes

extension HttpConversationManager {
    /// Makes a login happen ahead: before a large upload, which then goes through at once, or when an application starts.
    ///
    /// A `HEAD` where every response filter says that it recognises its challenge without a body
    /// (``ResponseFilter/inspectsBodies``), and the server knows the method; else a `GET` whose body is dropped.
    ///
    /// ```swift
    /// try await manager.preflight("https://example.com/inbox/")
    /// _ = try await manager.upload(for: request, from: .oneShot(stream))
    /// ```
    /// A delegate is asked about redirects and told of the end, and not shown a body that nobody wants.
    ///
    /// - Parameters:
    ///   - url: absolute, http or https; where the same login is wanted as for what follows
    ///   - fields: the header fields
    /// - Returns: the final response, without its body
    /// - Throws: as every conversation; a response with an error status is no error
    @discardableResult
    public func preflight(
        _ url: some TargetURLConvertible, fields: HTTPFields = [:]
    ) async throws(ConversationError) -> ConversationResponse {
        let needsBody = configuration.responseFilters.entries.contains { $0.element.inspectsBodies }
        if !needsBody {
            let response = try await runner().head(for: try HTTPRequest(.head, url, fields: fields))
            guard [405, 501].contains(response.status.code) else { return response }
        }
        return try await runner().head(for: try HTTPRequest(.get, url, fields: fields))
    }
}
