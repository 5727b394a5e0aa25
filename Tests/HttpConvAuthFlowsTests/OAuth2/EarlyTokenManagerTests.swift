import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConversation

/// A token manager can be taken at any time.
@Suite(.timeLimit(.minutes(1))) struct EarlyTokenManagerTests {
    private static let api = "https://api.example.com/orders"

    private func support(_ name: String = "x", at host: String = "https://api.example.com") throws
        -> some OAuth2ServerSupport
    {
        try ConfiguredOAuth2ServerSupport(
            name: name, tokenOrigins: [host],
            configuration: OAuth2Configuration(
                clientID: "c", authentication: .basic(secret: "s"), tokenEndpoint: "https://auth.example.com/token",
                grant: .clientCredentials))
    }

    private func save(_ token: String, in storage: some OAuth2TokenStorage) async throws {
        let key = OAuth2TokenKey(storageURL: try TargetURL("https://api.example.com/"), supportName: "x")
        try await storage.save(OAuth2Tokens(accessToken: token), for: key)
    }

    @Test func itSeesWhatIsAddedAndSetLater() async throws {
        var login = CommonAuthenticationConfigurator()
        let tokens = login.tokenManager
        #expect(try await tokens.tokens(for: Self.api) == nil)
        login.add(oauth2: try support())
        let storage = InMemoryTokenStorage()
        login.tokenStorage = storage
        try await save("t", in: storage)
        #expect(try await tokens.tokens(for: Self.api)?.accessToken.value == "t")
        login.oauth2Settings.refreshAhead = .seconds(7)
        login.webStrategies = WebStrategies()
        #expect(tokens.flow.settings.refreshAhead == .seconds(7))
        #expect(tokens.flow === login.tokenManager.flow)
    }

    @Test func itSharesTokensAndNewsWithManagersConfiguredLater() async throws {
        let transport = ScriptedTransport { request, _ in
            if request.target.origin.host == "auth.example.com" {
                return .init(
                    .ok, [.contentType: "application/json"], body: #"{"access_token":"t","token_type":"Bearer"}"#)
            }
            return request.headerFields[.authorization] == "Bearer t"
                ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Bearer"])
        }
        var login = CommonAuthenticationConfigurator()
        let tokens = login.tokenManager
        let changes = tokens.changes
        login.add(oauth2: try support())
        let manager = HttpConversationManager(transport: transport, login)
        #expect(try await manager.get(Self.api).status == .ok)
        #expect(try await tokens.tokens(for: Self.api)?.accessToken.value == "t")
        for await change in changes {
            #expect(change.kind == .granted)
            break
        }
        try await tokens.logOut(from: Self.api, using: manager)
        #expect(try await login.tokenManager.tokens(for: Self.api) == nil)
    }

    /// S2: a changed copy is separate, in any order of changes, and belongs to another person from the start.
    @Test func copiesGoTheirOwnWay() async throws {
        var base = CommonAuthenticationConfigurator()
        base.add(oauth2: try support())
        let tokens = base.tokenManager
        let others = InMemoryTokenStorage()
        try await save("of another", in: others)
        var copy = base
        copy.tokenStorage = others
        copy.session = HttpSession()
        #expect(try await copy.tokenManager.tokens(for: Self.api)?.accessToken.value == "of another")
        #expect(try await tokens.tokens(for: Self.api) == nil)
        #expect(try await base.tokenManager.tokens(for: Self.api) == nil)
        var third = base
        third.session = HttpSession()
        try await save("of the third", in: third.tokenStorage)
        #expect(try await tokens.tokens(for: Self.api) == nil)
    }

    /// S2: a token manager stays with its person.
    @Test func anotherSessionOnTheSameConfiguratorIsNotIts() async throws {
        var login = CommonAuthenticationConfigurator()
        login.add(oauth2: try support())
        let tokens = login.tokenManager
        login.session = HttpSession()
        try await save("of another", in: login.tokenStorage)
        #expect(try await tokens.tokens(for: Self.api) == nil)
        #expect(try await login.tokenManager.tokens(for: Self.api)?.accessToken.value == "of another")
    }

    @Test(arguments: ["", "api.example.com", "ftp://api.example.com"])
    func textThatIsNoURLThrows(_ text: String) async throws {
        let tokens = CommonAuthenticationConfigurator().tokenManager
        await #expect(throws: ConversationError.self) { try await tokens.tokens(for: text) }
        await #expect(throws: ConversationError.self) { try await tokens.removeTokens(for: text) }
    }
}
