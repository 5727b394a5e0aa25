import HTTPTypes
import HummingbirdCore

/// Answers one exchange.
typealias Endpoint = @Sendable (ServerExchange) async throws -> Response

/// A group of endpoints that registers itself in the table.
protocol EndpointGroup: Sendable {
    /// Adds the group's endpoints.
    func register(in table: inout EndpointTable)
    /// The group's lines of the table of contents.
    var entries: [ContentsEntry] { get }
}

/// A line of the table of contents.
struct ContentsEntry: Sendable {
    let path: String
    let text: String

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
    }
}

/// Finds the endpoint by the first segment of the path, for any method.
struct EndpointTable: Sendable {
    private var endpoints: [String: Endpoint] = [:]

    init(_ groups: [any EndpointGroup]) {
        for group in groups { group.register(in: &self) }
    }

    /// Adds an endpoint for all paths that begin with the segment.
    mutating func add(_ firstSegment: String, _ endpoint: @escaping Endpoint) {
        endpoints[firstSegment] = endpoint
    }

    func endpoint(for segments: [String]) -> Endpoint {
        endpoints[segments.first ?? ""] ?? Self.nothing
    }

    @Sendable private static func nothing(_ exchange: ServerExchange) -> Response {
        .text("there is nothing at \(exchange.path)\n", status: .notFound)
    }
}
