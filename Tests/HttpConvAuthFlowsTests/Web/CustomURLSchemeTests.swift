import Foundation
import HttpConvAuthFlowsTesting
import HttpConversation
import Testing

@testable import HttpConvAuthFlows

@Suite("Custom URL schemes", .timeLimit(.minutes(1)))
struct CustomURLSchemeTests {
    private struct Taker: CustomURLSchemeHandler {
        let taken: Box<[String]>
        func handle(_ url: URL) -> Bool {
            guard url.host() == "mine" else { return false }
            taken.update { $0.append(url.absoluteString) }
            return true
        }
    }

    @Test func urlsAreDeliveredOrNot() async throws {
        let schemes = CustomURLSchemeManagement(schemes: ["Com.Example.App"])
        let taken = Box<[String]>([])
        let number = schemes.addHandler(Taker(taken: taken))
        let open = { (text: String) in schemes.handleOpenURL(try #require(URL(string: text))) }
        #expect(try open("com.example.app://mine/a") == .delivered)
        #expect(try open("com.example.app://yours/a") == .nobodyWaiting)
        #expect(try open("com.example.other://mine/a") == .rejected)
        #expect(try open("https://mine/a") == .rejected)
        #expect(taken.value == ["com.example.app://mine/a"])
        schemes.removeHandler(number)
        #expect(try open("com.example.app://mine/a") == .nobodyWaiting)
    }

    @Test func whoWaitsComesFirstAndGetsOne() async throws {
        let schemes = CustomURLSchemeManagement()
        let ready = Gate()
        let waiting = Task {
            try await schemes.waitForURL {
                $0.path() == "/back"
            } ready: {
                ready.open()
            }
        }
        await ready.pass()
        let open = { (text: String) in schemes.handleOpenURL(try #require(URL(string: text))) }
        #expect(try open("app:/other") == .nobodyWaiting)
        #expect(try open("app:/back?x") == .delivered)
        #expect(try open("app:/back?y") == .nobodyWaiting)
        #expect(try await waiting.value.absoluteString == "app:/back?x")
    }

    @Test func aWaiterCanLeave() async throws {
        let schemes = CustomURLSchemeManagement()
        let ready = Gate()
        let waiting = Task {
            try await schemes.waitForURL { _ in
                true
            } ready: {
                ready.open()
            }
        }
        await ready.pass()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(schemes.handleOpenURL(try #require(URL(string: "app:/x"))) == .nobodyWaiting)
    }

    /// An application that logs people in and opens this one again.
    private struct OtherApplication: ExternalURLOpener {
        let schemes: CustomURLSchemeManagement
        let opened: Box<[String]>
        func open(_ url: URL) async throws {
            opened.update { $0.append(url.absoluteString) }
            let state = ScriptedOAuth2WebStrategy.parameter("state", of: url)
            let back = "com.example.app:/back?code=c0de&state="
            for text in [back + "wrong", back + state] {
                if let url = URL(string: text) { schemes.handleOpenURL(url) }
            }
        }
    }

    private func bench(_ schemes: CustomURLSchemeManagement, _ opened: Box<[String]>) throws -> HttpConversationManager
    {
        var configurator = CommonAuthenticationConfigurator()
        configurator.webStrategies = WebStrategies()
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.webStrategies.register(
            Resolver(
                strategy: CustomSchemeOAuth2Strategy(
                    opener: OtherApplication(schemes: schemes, opened: opened), schemes: schemes)))
        configurator.add(
            oauth2: try ConfiguredOAuth2ServerSupport(
                name: "x", tokenOrigins: [try Origin(scheme: .https, host: "api.example.com")],
                configuration: try OAuth2Configuration(
                    clientID: "c", tokenEndpoint: "https://auth.example.com/token",
                    grant: .authorizationCode(
                        AuthorizationCodeGrant(
                            authorizationEndpoint: "com.example.login://authorize",
                            redirectURI: "com.example.app:/back")))))
        return HttpConversationManager(
            transport: TokenServer().transport(), configuration: .applying(configurator))
    }

    private struct Resolver: WebLoginStrategyResolver {
        let strategy: any OAuth2WebStrategy
        func oauth2Strategy(for configuration: OAuth2Configuration) -> (any OAuth2WebStrategy)? {
            configuration.clientID == "c" ? strategy : nil
        }
    }

    @Test func anotherApplicationLogsIn() async throws {
        let opened = Box<[String]>([])
        let manager = try bench(CustomURLSchemeManagement(schemes: ["com.example.app"]), opened)
        #expect(try await manager.get(TokenServer.api).text == "item for access-1")
        #expect(opened.value.count == 1)
        #expect(opened.value[0].hasPrefix("com.example.login://authorize?response_type=code&"))
    }

    @Test func aSchemeThatLeadsElsewhereIsNoWayBack() async throws {
        let opened = Box<[String]>([])
        let manager = try bench(CustomURLSchemeManagement(schemes: ["com.example.other"]), opened)
        await #expect { _ = try await manager.get(TokenServer.api) } throws: {
            (($0 as? ConversationError)?.underlyingError as? OAuth2Error)?.code == .invalidConfiguration
        }
        #expect(opened.value.isEmpty)
    }
}
