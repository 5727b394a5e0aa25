import Foundation
import HttpC
import HttpConversationNIO
import Testing

/// A client of the OAuth2 server: a manager with a session of its own, and the records for tests.
struct OAuthBench {
    let server: RealServer
    let manager: HttpConversationManager
    let tokens: OAuth2TokenManager
    /// The beginning of the resources' paths.
    private let resources: String

    static func issuer(_ server: RealServer) -> String { server.url("/o") }

    static func origins(_ server: RealServer) -> [String] { [server.url("/")] }

    /// A client that is configured with only the issuer and its id.
    init(
        _ client: String, _ authentication: OAuth2ClientAuthentication = .none, scopes: [String] = ["read"],
        grant: DiscoveredGrant, web: (any OAuth2WebStrategy)? = nil
    ) async throws {
        let server = try await RealServers.shared.server(.oauth)
        self.init(
            server,
            try DiscoveredOAuth2ServerSupport(
                issuer: Self.issuer(server), clientID: client, tokenOrigins: Self.origins(server),
                authentication: authentication, scopes: scopes, grant: grant), web: web)
    }

    init(
        _ server: RealServer, _ support: some OAuth2ServerSupport, web: (any OAuth2WebStrategy)? = nil,
        resources: String = "/api/read/"
    ) {
        var configurator = CommonAuthenticationConfigurator()
        configurator.webStrategies = WebStrategies()
        configurator.webStrategies.defaultOAuth2Strategy = web
        configurator.add(oauth2: support)
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        self.server = server
        self.resources = resources
        manager = HttpConversationManager(transport: NIOTransport(), configuration: configuration)
        tokens = configurator.tokenManager
    }

    /// The path of a resource that no other test requests.
    static func newPath(below resources: String = "/api/read/") -> String {
        "\(resources)\(Int.random(in: 1...Int.max))"
    }

    func get(_ path: String? = nil) async throws -> ConversationResponse {
        try await manager.data(for: HTTPRequest(.get, server.url(path ?? Self.newPath(below: resources))))
    }

    /// The error of a request for a token.
    func failure() async throws -> OAuth2Error? {
        let error = await #expect(throws: ConversationError.self) { _ = try await get() }
        #expect(error?.code == .authenticationFailed)
        return error?.underlyingError as? OAuth2Error
    }

    func stored() async throws -> OAuth2Tokens {
        let url = try #require(URL(string: server.url("/api/")))
        return try #require(try await tokens.tokens(for: url))
    }

    /// Whether the server's own tables have the token. No endpoint is involved.
    func serverTakes(_ token: Redacted<String>) async throws -> Bool {
        try await Self.control("token?token=\(token.value)", server) == "valid"
    }

    /// Ends all access tokens at the server.
    func expireAccessTokens() async throws { _ = try await Self.control("expire", server) }

    private static func control(_ what: String, _ server: RealServer) async throws -> String {
        let plain = HttpConversationManager(transport: NIOTransport())
        return try await plain.data(for: HTTPRequest(.get, server.url("/control/\(what)"))).text
    }

    /// The requests to the token endpoint so far.
    func tokenRequests() throws -> [ReceivedRequest] { try server.received("/o/token/") }
}

extension ConversationResponse {
    /// The owner of the resource, as the server reports it.
    var owner: String? {
        (try? JSONDecoder().decode([String: String].self, from: data))?["user"]
    }
}
