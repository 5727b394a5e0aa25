import HTTPTypes
import HummingbirdCore

/// Answers one exchange.
typealias Endpoint = @Sendable (ServerExchange) async throws -> Response

/// A folder of endpoints that enters itself into the table.
protocol EndpointGroup: Sendable {
    /// Adds the group's endpoints.
    func register(in table: inout EndpointTable)
    /// What the table of contents says about them.
    var entries: [ContentsEntry] { get }
}

/// One line of the table of contents.
struct ContentsEntry: Sendable {
    let path: String
    let text: String

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
    }
}

/// Finds the endpoint by the first segment of the path, whatever the method.
struct EndpointTable: Sendable {
    private var endpoints: [String: Endpoint] = [:]

    init(_ groups: [any EndpointGroup]) {
        for group in groups { group.register(in: &self) }
    }

    /// Enters an endpoint for all paths that begin with the segment.
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
