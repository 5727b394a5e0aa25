import HTTPTypes
import HttpConversation
import HttpConversationNIO

extension NIOTransport {
    /// A transport with settings changed for a test.
    static func make(_ change: (inout Configuration) -> Void = { _ in }) -> NIOTransport {
        var configuration = Configuration()
        configuration.shutdownGrace = .milliseconds(100)
        change(&configuration)
        return NIOTransport(configuration: configuration)
    }

    func send(
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
    func text(
        _ method: HTTPRequest.Method = .get, _ url: String, fields: HTTPFields = [:], body: RequestBody? = nil,
        options: (inout TransportOptions) -> Void = { _ in }
    ) async throws(ConversationError) -> String {
        let response = try await send(method, url, fields: fields, body: body, options: options)
        return String(decoding: try await response.body.collect(upTo: 64 << 20), as: UTF8.self)
    }

    /// The code of the error that sending or reading ends with; nil where all goes well.
    func failure(
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
}
