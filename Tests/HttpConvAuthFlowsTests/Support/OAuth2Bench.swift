import Foundation
import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationTesting

@testable import HttpConvAuthFlows

/// A manager with OAuth2 support for a ``TokenServer``, and all objects that a test checks.
struct OAuth2Bench {
    let server: TokenServer
    let transport: ScriptedTransport
    let storage: any OAuth2TokenStorage
    let manager: HttpConversationManager
    let tokens: OAuth2TokenManager
    let time = TestClock()
    let web: ScriptedOAuth2WebStrategy
    let key: OAuth2TokenKey

    static let name = "api"

    init(
        grant: OAuth2Grant? = nil, server: TokenServer = TokenServer(),
        storage: any OAuth2TokenStorage = InMemoryTokenStorage(),
        support: (any OAuth2ServerSupport)? = nil,
        web: ScriptedOAuth2WebStrategy = ScriptedOAuth2WebStrategy(code: "c0de"),
        authentication: OAuth2ClientAuthentication = .none, scopes: [String] = [], parameters: [String: String] = [:],
        clock: (any Clock<Duration> & Sendable)? = nil, observers: [any ConversationObserver] = []
    ) throws {
        self.server = server
        self.storage = storage
        self.web = web
        transport = server.transport()
        let configuration = try OAuth2Configuration(
            clientID: "native", authentication: authentication, tokenEndpoint: "https://auth.example.com/token",
            revocationEndpoint: "https://auth.example.com/revoke", scopes: scopes, grant: grant ?? Self.code(),
            parameters: parameters)
        let support =
            try support
            ?? ConfiguredOAuth2ServerSupport(
                name: Self.name, tokenOrigins: [Origin(scheme: .https, host: "api.example.com")],
                configuration: configuration)
        var configurator = CommonAuthenticationConfigurator()
        configurator.tokenStorage = storage
        configurator.webStrategies = WebStrategies()
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.webStrategies.defaultOAuth2Strategy = web
        var settings = OAuth2Settings()
        settings.clock = time
        configurator.oauth2Settings = settings
        Self.add(support, to: &configurator)
        var all = HttpConversationManager.Configuration()
        all.apply(configurator)
        if let clock { all.clock = clock }
        for observer in observers { all.observers.add(observer) }
        manager = HttpConversationManager(transport: transport, configuration: all)
        tokens = configurator.tokenManager
        key = OAuth2TokenKey(storageURL: try TargetURL("https://api.example.com/"), supportName: support.name)
    }

    private static func add(
        _ support: some OAuth2ServerSupport, to configurator: inout CommonAuthenticationConfigurator
    ) {
        configurator.add(oauth2: support)
    }

    static func code() throws -> OAuth2Grant {
        .authorizationCode(
            try AuthorizationCodeGrant(
                authorizationEndpoint: "https://auth.example.com/authorize", redirectURI: "com.example.app:/back"))
    }

    /// The flow behind the filters.
    var flow: OAuth2Flow? { manager.configuration.requestFilters.all(of: OAuth2Filter.self).first?.flow }

    /// Returns once a number of conversations wait for new tokens.
    func waitForRenewal(_ waiters: Int) async {
        guard let flow else { return }
        let key = RenewalJob.StepKey(flow: flow.identity, key: key).ofStep
        await manager.configuration.session.steps.waitForWaiters(waiters, of: key)
    }

    /// Stores tokens that expire after a number of seconds.
    func store(_ access: String, _ refresh: String? = nil, endsIn seconds: Double? = 3600, isValid: Bool = true)
        async throws
    {
        let now = time.date
        try await storage.save(
            OAuth2Tokens(
                accessToken: access, refreshToken: refresh, expiresAt: seconds.map { now + $0 },
                receivedAt: now - 3600),
            for: key)
        server.update { state in
            if isValid { state.validAccess.insert(access) }
            if let refresh { state.validRefresh.insert(refresh) }
        }
    }

    /// The stored access token.
    func stored() async throws -> OAuth2Tokens? { try await storage.tokens(for: key) }

    func get(_ url: String = TokenServer.api) async throws -> ConversationResponse { try await manager.get(url) }

    /// The OAuth2 error of a GET.
    func failure(_ url: String = TokenServer.api) async throws -> OAuth2Error? {
        await thrown(ConversationError.self) { try await get(url) }?.underlyingError as? OAuth2Error
    }
}
