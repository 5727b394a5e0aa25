import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import Testing

/// Waiting holds no connection: the only connection to an origin is free while a flow waits for a person or a token.
@Suite(.timeLimit(.minutes(1))) struct WaitingTests {
    @Test(arguments: ChallengingServer.Kind.allCases, ChallengingServer.Length.allCases)
    func theOnlyConnectionIsReusedWhenFree(kind: ChallengingServer.Kind, length: ChallengingServer.Length) async throws
    {
        let site = ChallengingServer(kind: kind, length: length)
        try await RawServer.run { connection in
            try await site.serve(connection)
        } _: { server in
            let bench = try WaitingBench(kind, server)
            let method = kind == .csrf ? HTTPRequest.Method.post : .get
            let request = try HTTPRequest(method, "\(server.url)/resource")
            let response = try await bench.manager.data(for: request, body: kind == .csrf ? .text("body") : nil)
            #expect(response.text == "welcome")
            // The person was asked, and another request was served meanwhile. A CSRF fetch is itself that other
            // request.
            #expect(site.challenges.value == 1)
            #expect(site.probes.value == (kind == .csrf ? 0 : 1))
            #expect(bench.transport.openCount(server.url) <= 1)
        }
    }
}

/// A manager with all flows. Its person makes another request to the same server before answering.
private struct WaitingBench {
    let manager: HttpConversationManager
    let transport: NIOTransport

    init(_ kind: ChallengingServer.Kind, _ server: RawServer) throws {
        let transport = NIOTransport.make { $0.maximumConnectionsPerOrigin = 1 }
        let url = server.url
        let probe = Probe(transport: transport, url: "\(url)/probe")
        var configurator = CommonAuthenticationConfigurator()
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.webStrategies = WebStrategies(
            default: ScriptedWebLoginStrategy { opened in
                try await probe.run()
                return try Self.logIn(opened.login, url)
            })
        configurator.webStrategies.defaultOAuth2Strategy = ScriptedOAuth2WebStrategy { request, page in
            try await probe.run()
            let state = ScriptedOAuth2WebStrategy.parameter("state", of: page)
            return "\(request.redirectURI.text)?code=c&state=\(state)"
        }
        switch kind {
        case .basic, .digest: configurator.add(Person(probe: probe))
        case .bearer, .tokenBy403: configurator.add(oauth2: try Tokens(url))
        case .saml2, .saml2Redirect: configurator.add(saml2: try Portal(url))
        case .otp: configurator.add(otp: SecondFactor())
        case .csrf: break
        }
        var configuration = HttpConversationManager.Configuration()
        configuration.connectTimeout = .seconds(5)
        configuration.apply(configurator)
        self.transport = transport
        manager = HttpConversationManager(transport: transport, configuration: configuration)
    }

    private static func logIn(_ login: WebLogin, _ url: String) throws -> WebLoginOutcome {
        let cookie = Cookie(name: "LOGIN", value: "yes", domain: "127.0.0.1", isHostOnly: true)
        let end = login.purpose == .otp ? "\(url)/otp?finished=true" : "\(url)/finish?done"
        return WebLoginOutcome(url: end, cookies: [cookie])
    }
}

/// A request over the same transport.
private struct Probe: Sendable {
    let transport: NIOTransport
    let url: String

    func run() async throws {
        let text = try await transport.text(.get, url) { $0.connectTimeout = .seconds(5) }
        #expect(text == "probe")
    }
}

private struct Person: UsernamePasswordProvider {
    let probe: Probe

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        try await probe.run()
        return .credential(UsernamePassword(username: "alice", password: "secret"), persistence: .session)
    }
}

private struct Tokens: OAuth2ServerSupport {
    let name = "tokens"
    let tokenOrigins: Set<Origin>
    private let configuration: OAuth2Configuration

    init(_ url: String) throws {
        tokenOrigins = [try TargetURL(url).origin]
        configuration = try OAuth2Configuration(
            clientID: "native", tokenEndpoint: "\(url)/token",
            grant: .authorizationCode(
                AuthorizationCodeGrant(authorizationEndpoint: "\(url)/authorize", redirectURI: "com.example.app:/back"))
        )
    }

    func recognizesChallenge(in challenge: OAuth2Challenge) async throws -> Bool {
        challenge.response?.status == .forbidden || challenge.isBearerChallenge
    }

    func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration { configuration }
}

private struct Portal: SAML2ConfigProvider {
    private let config: SAML2Config

    init(_ url: String) throws {
        config = try SAML2Config(
            identifyingHeader: "com.sap.cloud.security.login", finishEndpoint: TargetURL("\(url)/finish"),
            finishParameter: "done")
    }

    func saml2Config(for target: TargetURL) async throws -> SAML2Config? { config }
}

private struct SecondFactor: OTPConfigProvider {
    func otpConfig(for target: TargetURL) async throws -> OTPConfig? { .sap }
}
