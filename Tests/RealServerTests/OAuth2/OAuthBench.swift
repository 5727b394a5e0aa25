import Foundation
import HttpC
import HttpConversationNIO
import Testing

/// A client of the OAuth2 server: a manager with a session of its own, and what tests look at.
struct OAuthBench {
    let server: RealServer
    let manager: HttpConversationManager
    let tokens: OAuth2TokenManager

    static func issuer(_ server: RealServer) -> String { server.url("/o") }

    static func origins(_ server: RealServer) -> [String] { [server.url("/")] }

    /// Knows the issuer and its own id, nothing else.
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

    init(_ server: RealServer, _ support: some OAuth2ServerSupport, web: (any OAuth2WebStrategy)? = nil) {
        var configurator = CommonAuthenticationConfigurator()
        configurator.webStrategies = WebStrategies()
        configurator.webStrategies.defaultOAuth2Strategy = web
        configurator.add(oauth2: support)
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        self.server = server
        manager = HttpConversationManager(transport: NIOTransport(), configuration: configuration)
        tokens = configurator.tokenManager
    }

    /// A resource that nobody else asks for.
    static func newPath() -> String { "/api/read/\(Int.random(in: 1...Int.max))" }

    func get(_ path: String = newPath()) async throws -> ConversationResponse {
        try await manager.data(for: HTTPRequest(.get, server.url(path)))
    }

    /// Why a request gets no token.
    func failure() async throws -> OAuth2Error? {
        let error = await #expect(throws: ConversationError.self) { _ = try await get() }
        #expect(error?.code == .authenticationFailed)
        return error?.underlyingError as? OAuth2Error
    }

    func stored() async throws -> OAuth2Tokens {
        let url = try #require(URL(string: server.url("/api/")))
        return try #require(try await tokens.tokens(for: url))
    }

    /// Asks the server's own tables, not its endpoints.
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
    /// Whose resource it is, by the server's word.
    var owner: String? {
        (try? JSONDecoder().decode([String: String].self, from: data))?["user"]
    }
}
