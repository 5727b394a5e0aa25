import Foundation
import HttpC
import HttpConversationTesting
import LandscapeSupport
import Synchronization
import Testing

/// The redirect URI decides which strategy shows an OAuth2 login.
@Suite(.landscape, .timeLimit(.minutes(1))) struct RedirectStrategyTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    /// A strategy that logs its call, and fails.
    private struct Asked: OAuth2WebStrategy {
        let name: String
        let log: Log

        func authorize(
            _ request: OAuth2AuthorizationRequest, in context: ConversationContext
        ) async throws -> OAuth2AuthorizationAnswer {
            log.names.withLock { $0.append(name) }
            throw OAuth2Error(.cancelled, "It is enough to have been asked.")
        }
    }

    private final class Log: Sendable {
        let names = Mutex<[String]>([])
    }

    @Test(arguments: [
        ("http://127.0.0.1:0/callback", "listening"), ("http://[::1]:4711/callback", "listening"),
        ("http://localhost:0/callback", "listening"), ("https://app.example/callback", "viewing"),
        ("com.example.app:/callback", "viewing"), ("SERVER/sap", "viewing"),
    ]) func theRedirectURIDecides(redirect: String, expected: String) async throws {
        let log = Log()
        let server = landscape.urlString(.main, "")
        var configurator = CommonAuthenticationConfigurator()
        configurator.webStrategies = WebStrategies()
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.webStrategies.defaultOAuth2Strategy = RedirectOAuth2Strategy(
            listening: Asked(name: "listening", log: log)
        ) { Asked(name: "viewing", log: log) }
        configurator.add(
            oauth2: try SAPOAuth2ServerSupport(
                serverURL: server + "/sap", clientID: "native",
                redirectURI: redirect.replacing("SERVER", with: server)))
        let manager = HttpConversationManager(configurator)
        let code = await failureCode { try await manager.data(for: HTTPRequest(.get, server + "/sap/x")) }
        #expect(code == .cancelled)
        #expect(log.names.withLock { $0 } == [expected])
    }

    /// Only server URL and client id, with the platform's defaults and a browser without a window.
    @Test(arguments: ["/sap", "/sap400"]) func sapsMinimumConfigurationWorks(path: String) async throws {
        let server = landscape.urlString(.main, path)
        landscape.addOAuthClient(
            OAuthClient(id: "mobile", redirectURIs: [server], grants: [.authorizationCode, .refreshToken]))
        let answers = try FormAnswers(
            ["username": .text("alice"), "password": .text("wonderland")],
            origins: [server])
        var configurator = CommonAuthenticationConfigurator()
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.webStrategies = WebStrategies()
        configurator.webStrategies.defaultOAuth2Strategy = RedirectOAuth2Strategy(
            listening: LoopbackOAuth2Strategy(opener: SystemBrowser(program: "/nowhere"))
        ) { TerminalWebStrategy(prompter: nil, answers: answers) }
        configurator.add(oauth2: try SAPOAuth2ServerSupport(serverURL: server, clientID: "mobile"))
        let manager = HttpConversationManager(configurator)
        let response = try await manager.data(for: HTTPRequest(.get, server + "/odata"))
        #expect(response.status == .ok && response.text.contains("\"alice\""), "\(response.text)")
        #expect(landscape.oauthCounters.logins == 1)
    }
}
