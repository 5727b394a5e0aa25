import Foundation
import HTTPTypes
import HttpConversation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request in URLSession's form, and its limits.
final class OutgoingRequest: Sendable {
    enum Payload: Sendable {
        case none
        case whole(Data)
        case streamed(OpenedRequestBody)
    }

    let urlRequest: URLRequest
    let payload: Payload
    let origin: Origin
    let method: HTTPRequest.Method
    let options: TransportOptions
    /// Whether the request names the content codings that the server may use, as the caller's or for a range.
    let acceptsOtherCodings: Bool
    /// Called with the number of bytes sent, and the total if it is known.
    let progress: (@Sendable (_ sent: Int, _ total: Int?) -> Void)?

    #if !canImport(FoundationNetworking)
    /// Called with the metrics of the exchange.
    let onMetrics: (@Sendable (URLSessionTaskMetrics) -> Void)?
    #endif

    /// The peer's name in messages.
    var peer: String { origin.hostAndPort }

    /// The length of the body, if it is known.
    var bodyLength: Int? {
        switch payload {
        case .none: 0
        case .whole(let data): data.count
        case .streamed(let body): body.length
        }
    }

    /// Whether the request needs its own session. If a kept connection turns out to be dead, FoundationNetworking sends
    /// only the rest of a body; and a body that is waited for blocks all exchanges of its session.
    var needsOwnSession: Bool {
        #if canImport(FoundationNetworking)
        if case .none = payload { false } else { true }
        #else
        false
        #endif
    }

    init(
        _ request: TransportRequest, _ configuration: URLSessionTransport.Configuration
    ) async throws(ConversationError) {
        let url = try URLChecks.url(of: request)
        payload = if let body = request.body { try await Self.payload(body) } else { .none }
        if case .none = payload {} else { try URLChecks.refuseBody(of: request.method, at: request.target) }
        origin = request.target.origin
        method = request.method
        options = request.options
        progress = request.body?.progress
        acceptsOtherCodings =
            request.headerFields.contains(.acceptEncoding) || request.headerFields.contains(.range)
        var result = URLRequest(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData,
            timeoutInterval: URLSessionTransport.Configuration.farAway)
        result.httpMethod = request.method.rawValue
        result.httpShouldHandleCookies = false
        result.allHTTPHeaderFields = RequestFields(request, payload, configuration).fields
        #if !canImport(FoundationNetworking)
        configuration.access.apply(to: &result)
        onMetrics = configuration.onMetrics
        // Only URLSession knows when the network became available, so it measures this limit.
        if configuration.waitsForConnectivity {
            result.timeoutInterval = (options.connectTimeout + options.idleTimeout) / .seconds(1)
        }
        #endif
        urlRequest = result
    }

    /// The size up to which a body is read before it is sent, so that it has a length. In bytes.
    private static let smallBody = 1 << 20

    private static func payload(_ body: RequestBody) async throws(ConversationError) -> Payload {
        if case .bytes(let bytes) = body.kind { return bytes.isEmpty ? .none : .whole(Data(bytes)) }
        let opened = try await body.open()
        guard body.isRestartable, let length = opened.length, length <= smallBody else { return .streamed(opened) }
        let source = CheckedBody(opened)
        var data = Data()
        do {
            while let chunk = try await source.next() { data.append(contentsOf: chunk) }
        } catch {
            throw URLFailure.body(error)
        }
        return data.isEmpty ? .none : .whole(data)
    }
}
