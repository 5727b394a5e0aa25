import Foundation
import HTTPTypes
import HttpC
import HttpConvAuthFlowsTesting
import HttpConversationNIO
import LandscapeSupport

/// A login whose awaits are cancelled one by one, with a service of the landscape that needs it.
enum AwaitFlow: String, CaseIterable, Sendable {
    case none, basic, digest, certificate, saml2, code, webLogin, csrf, clientCredentials, authorizationCode, refresh

    /// A client without a login, and the request that needs one.
    struct Client: Sendable {
        let manager: HttpConversationManager
        let request: HTTPRequest
        let landscape: Landscape

        /// Sends the request; returns the answer's text.
        func send() async throws -> String {
            let response = try await manager.data(for: request, body: request.method == .post ? .text("x") : nil)
            return "\(response.status.code) \(response.text)"
        }
    }

    private struct Provider: SAML2ConfigProvider, OTPConfigProvider, WebLoginConfigurationProvider {
        let finish: TargetURL
        func webLoginConfiguration(for target: TargetURL) async throws -> WebLoginConfiguration? {
            try WebLoginConfiguration()
        }
        func saml2Config(for target: TargetURL) async throws -> SAML2Config? {
            try SAML2Config(finishEndpoint: finish, finishParameter: "finishEndpointParam")
        }
        func otpConfig(for target: TargetURL) async throws -> OTPConfig? { .sap }
    }

    private var path: String {
        switch self {
        case .none: "/json"
        case .basic: "/basic/realm1/x"
        case .digest: "/digest/sha256/x"
        case .certificate: "/certificate"
        case .saml2: "/saml/post-artifact/x"
        case .code: "/otp/saml/x"
        case .webLogin: "/site/form/x"
        case .csrf: "/csrf/svc/Products"
        case .clientCredentials, .authorizationCode, .refresh: "/api/data"
        }
    }

    func client(_ landscape: Landscape, _ transport: some HTTPTransport) async throws -> Client {
        var login = CommonAuthenticationConfigurator()
        login.multiplexer = UserInteractionMultiplexer()
        login.webStrategies = WebStrategies(default: try strategy(landscape, transport))
        login.webStrategies.defaultOAuth2Strategy = ScriptedOAuth2WebStrategy { request, url in
            try await FormPerson.logIn(at: url, isAnswer: { request.isAnswer($0) })
        }
        try add(to: &login, landscape)
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(login)
        configuration.networkTimeout = .seconds(10)
        let request = try HTTPRequest(
            self == .csrf ? .post : .get, landscape.urlString(self == .certificate ? .mutual : .main, path))
        let client = Client(
            manager: HttpConversationManager(transport: transport, configuration: configuration), request: request,
            landscape: landscape)
        if self == .refresh {
            _ = try await client.send()
            landscape.expireAccessTokens()
        }
        return client
    }

    /// One connection for each server, so that a connection that is not given back holds up the next request.
    static func transport(_ landscape: Landscape) -> NIOTransport {
        var configuration = NIOTransport.Configuration()
        configuration.maximumConnectionsPerOrigin = 1
        configuration.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
        return NIOTransport(configuration: configuration)
    }

    private func strategy(_ landscape: Landscape, _ transport: some HTTPTransport) throws -> any WebLoginStrategy {
        if self == .code {
            let walker = PageWalker(transport) { field in
                switch field {
                case "user": "alice"
                case "password": "wonderland"
                default: landscape.passcode()
                }
            }
            return ScriptedWebLoginStrategy { try await walker.walk($0) }
        }
        return TerminalWebStrategy(
            prompter: nil,
            answers: try FormAnswers(
                ["user": .text("alice"), "username": .text("alice"), "password": .text("wonderland")],
                origins: [landscape.urlString(), landscape.identityProvider()]))
    }

    private func add(to login: inout CommonAuthenticationConfigurator, _ landscape: Landscape) throws {
        switch self {
        case .none: break
        case .basic, .digest: login.add(StaticCredentialProvider(username: "alice", password: "wonderland"))
        case .certificate: login.add(clientCertificate: try CountedIdentity(landscape.certificates.client("alice")))
        case .saml2: login.add(saml2: try provider(landscape, "post-artifact"))
        case .code:
            login.add(saml2: try provider(landscape))
            login.add(otp: try provider(landscape))
        case .webLogin: login.add(webLogin: try provider(landscape))
        case .csrf: login.add(csrf: try CSRFService(root: landscape.urlString(.main, "/csrf/svc/")))
        case .clientCredentials:
            login.add(oauth2: try support(landscape, "machine", .basic(secret: "machine-secret"), .clientCredentials))
        case .authorizationCode:
            login.add(
                oauth2: try support(
                    landscape, "native", .none, .authorizationCode(redirectURI: GrantBench.redirectURI)))
        case .refresh:
            let user = UsernamePassword(username: "alice", password: "wonderland")
            login.add(oauth2: try support(landscape, "native", .none, .password(user)))
        }
    }

    private func provider(_ landscape: Landscape, _ variant: String = "post-post") throws -> Provider {
        Provider(finish: try TargetURL(landscape.finishEndpoint(variant: variant)))
    }

    private func support(
        _ landscape: Landscape, _ client: String, _ authentication: OAuth2ClientAuthentication, _ grant: DiscoveredGrant
    ) throws -> DiscoveredOAuth2ServerSupport {
        try DiscoveredOAuth2ServerSupport(
            issuer: landscape.issuer(), clientID: client, tokenOrigins: [landscape.urlString()],
            authentication: authentication, scopes: ["read"], grant: grant)
    }
}
