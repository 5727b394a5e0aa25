import HTTPTypes
import HummingbirdCore

/// Answers one exchange; nil if the endpoint knows nothing about the path.
typealias Endpoint = @Sendable (ServerExchange) async throws -> Response?

/// Finds the endpoints by the first segment of the path, for any method.
struct EndpointTable: Sendable {
    private var endpoints: [String: [Endpoint]] = [:]

    init(_ services: [any Service]) {
        for service in services { service.register(in: &self) }
    }

    /// Adds an endpoint for all paths that begin with the segment. The endpoints of a segment are asked in order.
    mutating func add(_ firstSegment: String, _ endpoint: @escaping Endpoint) {
        endpoints[firstSegment, default: []].append(endpoint)
    }

    func respond(to exchange: ServerExchange) async throws -> Response {
        for endpoint in endpoints[exchange.segments.first ?? ""] ?? [] {
            if let response = try await endpoint(exchange) { return response }
        }
        return .text("there is nothing at \(exchange.path)\n", status: .notFound)
    }
}
