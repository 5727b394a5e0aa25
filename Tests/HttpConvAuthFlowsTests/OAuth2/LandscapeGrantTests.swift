import Foundation
import HttpC
import HttpConvAuthFlowsTesting
import HttpConversationNIO
import LandscapeSupport
import Synchronization
import Testing

/// The grants against an authorization server and a resource server of the landscape, over sockets.
@Suite(.landscape, .timeLimit(.minutes(1))) struct LandscapeGrantTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    /// There is no listener: the scripted person passes the answer on.
    private static let redirectURI = "com.example.app:/callback"

    private static func manager(
        _ landscape: Landscape, client: String, _ authentication: OAuth2ClientAuthentication = .none,
        scopes: [String] = ["read"], grant: DiscoveredGrant
    ) throws -> (manager: HttpConversationManager, configurator: CommonAuthenticationConfigurator) {
        try Self.manager(
            DiscoveredOAuth2ServerSupport(
                issuer: landscape.issuer(), clientID: client,
                tokenOrigins: [try TargetURL(landscape.urlString()).origin], authentication: authentication,
                scopes: scopes, grant: grant))
    }

    private static func manager(
        _ support: some OAuth2ServerSupport
    ) -> (manager: HttpConversationManager, configurator: CommonAuthenticationConfigurator) {
        var configurator = CommonAuthenticationConfigurator()
        configurator.multiplexer = UserInteractionMultiplexer()
        let strategies = WebStrategies()
        strategies.defaultOAuth2Strategy = ScriptedOAuth2WebStrategy { request, url in
            try await FormPerson.logIn(at: url, isAnswer: { request.isAnswer($0) })
        }
        configurator.webStrategies = strategies
        configurator.add(oauth2: support)
        return (HttpConversationManager(transport: NIOTransport(), configurator), configurator)
    }

    @Test func clientCredentials() async throws {
        let (manager, _) = try Self.manager(
            landscape, client: "machine", .basic(secret: "machine-secret"), grant: .clientCredentials)
        let response = try await manager.get(landscape.urlString(.main, "/api/data"))
        #expect(response.status == .ok)
        #expect(response.text.contains("machine"))
        #expect(landscape.oauthCounters.grants["client_credentials"] == 1)
    }

    @Test func passwordAndRefresh() async throws {
        let login = UsernamePassword(username: "alice", password: "wonderland")
        let (manager, _) = try Self.manager(landscape, client: "native", grant: .password(login))
        let url = landscape.urlString(.main, "/api/data")
        #expect(try await manager.get(url).text.contains("alice"))
        landscape.expireAccessTokens()
        #expect(try await manager.get(url).status == .ok)
        #expect(landscape.oauthCounters.grants["password"] == 1)
        #expect(landscape.oauthCounters.refreshes == 1)
        #expect(landscape.oauthCounters.reuseDetected == 0)
    }

    @Test(arguments: [["read"], ["openid", "read"]])
    func authorizationCode(scopes: [String]) async throws {
        let (manager, configurator) = try Self.manager(
            landscape, client: "native", scopes: scopes, grant: .authorizationCode(redirectURI: Self.redirectURI))
        let url = landscape.urlString(.main, "/api/data")
        #expect(try await manager.get(url).text.contains("alice"))
        #expect(landscape.oauthCounters.logins == 1)
        #expect(try await manager.get(url).status == .ok)
        #expect(landscape.oauthCounters.tokenRequests == 1)
        #expect(try await configurator.tokenManager.tokens(for: #require(URL(string: url))) != nil)
    }

    @Test func deviceAuthorization() async throws {
        landscape.oauthRule.deviceInterval = .milliseconds(1)
        let (manager, _) = try Self.manager(
            landscape, client: "tv", grant: .deviceAuthorization(ApprovingPresenter(landscape: landscape)))
        #expect(try await manager.get(landscape.urlString(.main, "/api/data")).text.contains("alice"))
    }

    @Test func sapStatusHeaderIsAChallengeToo() async throws {
        let (manager, _) = Self.manager(
            try SAPOAuth2ServerSupport(
                serverURL: landscape.urlString(), clientID: "native", scopes: ["read"],
                redirectURI: Self.redirectURI))
        #expect(try await manager.get(landscape.urlString(.main, "/sap400/data")).status == .ok)
    }

    @Test func aThousandConversationsShareOneRefresh() async throws {
        let login = UsernamePassword(username: "alice", password: "wonderland")
        let (manager, _) = try Self.manager(landscape, client: "native", grant: .password(login))
        _ = try await manager.get(landscape.urlString(.main, "/api/first"))
        landscape.expireAccessTokens()
        let gate = landscape.holdTokenRequests()
        async let results = manager.getAll((0..<1000).map { landscape.urlString(.main, "/api/\($0)") })
        try await gate.waitForWaiters(1)
        gate.release()
        let statuses = try await results.map { try $0.get().status.code }
        #expect(statuses == Array(repeating: 200, count: 1000))
        #expect(landscape.oauthCounters.refreshes == 1)
        #expect(landscape.oauthCounters.grants["password"] == 1)
        #expect(landscape.oauthCounters.peakTokenRequests == 1)
    }
}

/// Enters the code on another device at once.
private struct ApprovingPresenter: DeviceAuthorizationPresenter {
    let landscape: Landscape

    func present(_ prompt: DeviceAuthorizationPrompt) async throws {
        #expect(landscape.approveDevice(userCode: prompt.userCode.value))
    }

    func dismiss() async {}
}
