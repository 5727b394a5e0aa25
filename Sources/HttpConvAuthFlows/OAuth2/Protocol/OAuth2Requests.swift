import HTMLForms
import HTTPTypes
import HttpConversation

/// Sends requests to authorization servers: each in a conversation of its own, without cookies, filters or redirects,
/// with a bounded answer (security rule S11).
struct OAuth2Requests: Sendable {
    private let send: @Sendable (HTTPRequest, RequestBody?) async throws(ConversationError) -> ConversationResponse
    /// Measures waiting between polls; a test gives its own.
    let clock: any Clock<Duration> & Sendable
    /// The conversation that asks, where there is one.
    let context: ConversationContext?
    static let maximumAnswer = 1 << 20

    /// As children of a conversation.
    init(_ context: ConversationContext) {
        clock = context.configuration.clock
        self.context = context
        send = { request, body throws(ConversationError) in
            try await context.start(request, body: body, configure: Self.restrict)
        }
    }

    /// Over a manager's transport, where no conversation asks.
    init(_ manager: HttpConversationManager) {
        var configuration = manager.configuration
        clock = configuration.clock
        context = nil
        configuration.session = HttpSession()
        configuration.requestFilters = FilterList()
        configuration.redirectFilters = FilterList()
        configuration.challengeFilters = FilterList()
        configuration.responseFilters = FilterList()
        Self.restrict(&configuration)
        let plain = HttpConversationManager(transport: manager.transport, configuration: configuration)
        send = { request, body throws(ConversationError) in try await plain.data(for: request, body: body) }
    }

    @Sendable private static func restrict(_ configuration: inout HttpConversationManager.Configuration) {
        configuration.redirects.follows = false
        configuration.maximumBufferedBytes = maximumAnswer
        configuration.networkTimeout = min(configuration.networkTimeout ?? .seconds(120), .seconds(120))
    }

    /// Reads a public document.
    func get(_ target: TargetURL) async throws -> EndpointAnswer {
        try SecureEndpoint.require(target, "endpoint")
        return try await exchange(HTTPRequest(.get, target, fields: [.accept: "application/json"]), nil, target, [])
    }

    /// Posts a form as a client.
    func post(
        _ parameters: [FormEncoding.Parameter], to endpoint: TargetURL, for configuration: OAuth2Configuration
    ) async throws -> EndpointAnswer {
        try SecureEndpoint.require(endpoint, "endpoint")
        let client = configuration.authentication
        var fields: HTTPFields = [
            .accept: "application/json", .contentType: "application/x-www-form-urlencoded",
        ]
        if let authorization = client.authorization(clientID: configuration.clientID) {
            fields[.authorization] = authorization
        }
        let form = parameters + client.parameters(clientID: configuration.clientID)
        let secrets = form.filter { !Self.harmless.contains($0.name) }.map(\.value) + [client.secret].compactMap { $0 }
        return try await exchange(
            HTTPRequest(.post, endpoint, fields: fields), .text(FormEncoding.encode(form)), endpoint, secrets)
    }

    /// Parameters that a server may quote; whatever else the form carries is cut out of its descriptions.
    private static let harmless: Set<String> = [
        "grant_type", "client_id", "scope", "redirect_uri", "token_type_hint", "resource", "audience", "username",
    ]

    private func exchange(
        _ request: HTTPRequest, _ body: RequestBody?, _ endpoint: TargetURL, _ secrets: [String]
    ) async throws -> EndpointAnswer {
        do throws(ConversationError) {
            let response = try await send(request, body)
            return EndpointAnswer(
                endpoint: endpoint, status: response.status.code, fields: response.headerFields, bytes: response.bytes,
                secrets: secrets)
        } catch {
            if error.code == .cancelled { throw CancellationError() }
            if error.code == .tooLarge {
                throw OAuth2Error(
                    .malformedResponse, "The answer of \(endpoint) is larger than \(Self.maximumAnswer) bytes.",
                    endpoint: endpoint, underlyingError: error)
            }
            throw OAuth2Error(
                .endpointUnreachable, "\(endpoint) could not be reached (\(error.code)).", endpoint: endpoint,
                underlyingError: error)
        }
    }
}
