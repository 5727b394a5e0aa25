package import HTTPTypes
package import HttpConversation

/// Sends requests by a transport without a conversation.
extension HTTPTransport {
    /// Sends a request to a URL.
    package func send(
        _ method: HTTPRequest.Method = .get, _ url: String, fields: HTTPFields = [:], body: RequestBody? = nil,
        options: (inout TransportOptions) -> Void = { _ in }
    ) async throws(ConversationError) -> TransportResponse {
        var transportOptions = TransportOptions()
        options(&transportOptions)
        return try await send(
            TransportRequest(
                target: try TargetURL(url), method: method, headerFields: fields, body: body, options: transportOptions)
        )
    }

    /// The whole text of a response.
    package func text(
        _ method: HTTPRequest.Method = .get, _ url: String, fields: HTTPFields = [:], body: RequestBody? = nil,
        options: (inout TransportOptions) -> Void = { _ in }
    ) async throws(ConversationError) -> String {
        let response = try await send(method, url, fields: fields, body: body, options: options)
        return String(decoding: try await response.body.collect(upTo: 64 << 20), as: UTF8.self)
    }

    /// The error of sending or reading; nil if both succeed.
    package func failure(
        _ method: HTTPRequest.Method = .get, _ url: String, fields: HTTPFields = [:], body: RequestBody? = nil,
        options: (inout TransportOptions) -> Void = { _ in }
    ) async -> ConversationError? {
        do {
            _ = try await text(method, url, fields: fields, body: body, options: options)
            return nil
        } catch {
            return error
        }
    }

    /// Runs a body, and then shuts the transport down.
    package func whileRunning(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async throws {
        do { try await body() } catch {
            await shutdown()
            throw error
        }
        await shutdown()
    }
}
