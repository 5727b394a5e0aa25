import HTTPTypes
import HttpConversation

/// The client side of a case: a transport with a server's URL.
struct Client: Sendable {
    typealias Code = ConversationError.Code

    let transport: any HTTPTransport
    /// The base URL, without a slash at its end.
    let url: String
    private let running: RawServer?

    init(_ transport: any HTTPTransport, url: String, server: RawServer?) {
        self.transport = transport
        self.url = url
        running = server
    }

    /// The server. Throws if the case has none.
    var server: RawServer {
        get throws { try running ?? { throw Mismatch(expected: "a server", happened: "this wire has none") }() }
    }

    /// The same transport, for another URL.
    func at(_ url: String) -> Client { Client(transport, url: url, server: running) }

    // MARK: Sending

    func send(
        _ method: HTTPRequest.Method = .get, _ path: String = "/", fields: HTTPFields = [:], body: RequestBody? = nil,
        options: (inout TransportOptions) -> Void = { _ in }
    ) async throws(ConversationError) -> TransportResponse {
        var transportOptions = TransportOptions()
        options(&transportOptions)
        return try await transport.send(
            TransportRequest(
                target: try TargetURL(url + path), method: method, headerFields: fields, body: body,
                options: transportOptions))
    }

    func bytes(
        _ method: HTTPRequest.Method = .get, _ path: String = "/", fields: HTTPFields = [:], body: RequestBody? = nil,
        options: (inout TransportOptions) -> Void = { _ in }
    ) async throws(ConversationError) -> [UInt8] {
        try await send(method, path, fields: fields, body: body, options: options).body.collect(upTo: 256 << 20)
    }

    /// The error of sending or of reading the body; nil if both succeed.
    func failure(
        _ method: HTTPRequest.Method = .get, _ path: String = "/", fields: HTTPFields = [:], body: RequestBody? = nil,
        options: (inout TransportOptions) -> Void = { _ in }
    ) async -> ConversationError? {
        do {
            _ = try await bytes(method, path, fields: fields, body: body, options: options)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Expecting

    /// Expects a response with this status and body.
    @discardableResult
    func expect(
        _ text: String, status: HTTPResponse.Status = .ok, _ method: HTTPRequest.Method = .get, _ path: String = "/",
        fields: HTTPFields = [:], body: RequestBody? = nil, options: (inout TransportOptions) -> Void = { _ in }
    ) async throws -> TransportResponse {
        let response = try await send(method, path, fields: fields, body: body, options: options)
        let bytes = try await response.body.collect(upTo: 256 << 20)
        try HttpConversationConformance.expect(response.head.status.code, is: status.code, "the status")
        try HttpConversationConformance.expect(String(decoding: bytes, as: UTF8.self), is: text, "the body")
        return response
    }

    /// Expects an error with one of these codes, of the response or its body.
    @discardableResult
    func expectFailure(
        _ codes: Code..., method: HTTPRequest.Method = .get, _ path: String = "/", fields: HTTPFields = [:],
        body: RequestBody? = nil, options: (inout TransportOptions) -> Void = { _ in }
    ) async throws -> ConversationError {
        let error = await failure(method, path, fields: fields, body: body, options: options)
        return try Self.check(error, codes)
    }

    /// Cancels a task, and expects that it ends with `cancelled`.
    static func expectCancelled(_ task: Task<ConversationError?, Never>) async throws {
        task.cancel()
        try check(await task.value, [.cancelled])
    }

    @discardableResult
    static func check(_ error: ConversationError?, _ codes: [Code]) throws -> ConversationError {
        let words = codes.map(\.description).joined(separator: " or ")
        guard let error else { throw Mismatch(expected: words, happened: "a whole response") }
        try HttpConversationConformance.expect(codes.contains(error.code), words, "\(error)")
        try HttpConversationConformance.expect(
            !error.message.isEmpty, "an error that says what happened", "it is empty")
        return error
    }

    /// Waits until the server has seen that many connections end.
    func expectClosed(_ count: Int) async throws {
        try await server.wait { $0.closedCount >= count }
        try Task.checkCancellation()
    }

    func expectConnections(_ count: Int) throws {
        try HttpConversationConformance.expect(try server.connectionCount, is: count, "connections")
    }
}
