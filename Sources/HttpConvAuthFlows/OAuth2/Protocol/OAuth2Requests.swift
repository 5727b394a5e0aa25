import HTTPTypes
import HttpConversation

/// Sends requests to authorization servers: each in a child conversation of its own, without cookies, filters or
/// redirects, with a bounded answer (security rule S11).
struct OAuth2Requests: Sendable {
    /// The conversation that asks.
    let context: ConversationContext
    static let maximumAnswer = 1 << 20
    private static let longestTime = Duration.seconds(120)

    init(_ context: ConversationContext) { self.context = context }

    /// Measures waiting between polls; a test gives its own.
    var clock: any Clock<Duration> & Sendable { context.configuration.clock }

    /// Reads a public document.
    func get(_ target: TargetURL) async throws -> EndpointAnswer { try await send(.get, target, [:]) }

    /// - Parameter secrets: what the request carries, to be cut out of what the server says about it
    func send(
        _ method: HTTPRequest.Method, _ endpoint: TargetURL, _ fields: HTTPFields, body: RequestBody? = nil,
        secrets: [String] = []
    ) async throws -> EndpointAnswer {
        try SecureEndpoint.require(endpoint, "endpoint")
        var fields = fields
        fields[.accept] = "application/json"
        do throws(ConversationError) {
            let response = try await context.start(
                HTTPRequest(method, endpoint, fields: fields), body: body, configure: Self.restrict)
            return EndpointAnswer(
                endpoint: endpoint, status: response.status.code, fields: response.headerFields, bytes: response.bytes,
                secrets: secrets)
        } catch {
            throw Self.failure(error, endpoint)
        }
    }

    private static func restrict(_ configuration: inout HttpConversationManager.Configuration) {
        configuration.redirects.follows = false
        configuration.maximumBufferedBytes = maximumAnswer
        configuration.networkTimeout = min(configuration.networkTimeout ?? longestTime, longestTime)
    }

    private static func failure(_ error: ConversationError, _ endpoint: TargetURL) -> any Error {
        switch error.code {
        case .cancelled: CancellationError()
        case .tooLarge:
            OAuth2Error(
                .malformedResponse, "The answer of \(endpoint) is larger than \(maximumAnswer) bytes.",
                endpoint: endpoint, underlyingError: error)
        default:
            OAuth2Error(
                .endpointUnreachable, "\(endpoint) could not be reached (\(error.code)).", endpoint: endpoint,
                underlyingError: error)
        }
    }
}
