import Foundation
import HTTPTypes
import HttpC
import HttpConvAuthFlowsTesting
import HttpConversationNIO
import HttpConversationTesting
import TestLandscape

@testable import HttpConvAuthFlows

/// A manager with OAuth2 for an origin of a landscape, over sockets, with a person who fills in the login form.
struct GrantBench {
    let landscape: Landscape
    let manager: HttpConversationManager
    let tokens: OAuth2TokenManager
    let storage: any OAuth2TokenStorage
    let web: ScriptedOAuth2WebStrategy

    /// There is no listener: the scripted person passes the answer on.
    static let redirectURI = "com.example.app:/callback"
    static let code = DiscoveredGrant.authorizationCode(redirectURI: redirectURI)
    static let secret = OAuth2ClientAuthentication.basic(secret: "service-secret")

    init(
        _ landscape: Landscape, client: String, _ authentication: OAuth2ClientAuthentication = .none,
        scopes: [String] = ["read"], resources: [String] = [], grant: DiscoveredGrant = code, usesDPoP: Bool = false,
        storage: any OAuth2TokenStorage = InMemoryTokenStorage()
    ) throws {
        try self.init(
            landscape,
            DiscoveredOAuth2ServerSupport(
                issuer: landscape.issuer(), clientID: client, tokenOrigins: [landscape.urlString()],
                authentication: authentication, scopes: scopes, resources: resources, grant: grant, usesDPoP: usesDPoP),
            storage: storage)
    }

    init(
        _ landscape: Landscape, _ support: some OAuth2ServerSupport,
        storage: any OAuth2TokenStorage = InMemoryTokenStorage()
    ) throws {
        self.landscape = landscape
        self.storage = storage
        web = ScriptedOAuth2WebStrategy { request, url in
            try await FormPerson.logIn(at: url, isAnswer: { request.isAnswer($0) })
        }
        var configurator = CommonAuthenticationConfigurator()
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.webStrategies = WebStrategies()
        configurator.webStrategies.defaultOAuth2Strategy = web
        configurator.tokenStorage = storage
        configurator.add(oauth2: support)
        tokens = configurator.tokenManager
        manager = HttpConversationManager(transport: NIOTransport(), configurator)
    }

    func get(_ path: String = "/api/data") async throws -> ConversationResponse {
        try await manager.get(landscape.urlString(.main, path))
    }

    /// The OAuth2 error of a GET.
    func failure(_ path: String = "/api/data") async throws -> OAuth2Error? {
        await thrown(ConversationError.self) { try await get(path) }?.underlyingError as? OAuth2Error
    }

    func stored() async throws -> OAuth2Tokens? { try await tokens.tokens(for: landscape.urlString()) }
}

/// Fills in the authorization server's login form, as a person with a browser would.
enum FormPerson {
    /// The answer that came instead of the redirect to the client.
    struct Unexpected: Error { let answer: String }

    static func logIn(at url: URL, isAnswer: (String) -> Bool) async throws -> String {
        let browser = testManager(NIOTransport()) { $0.redirects.follows = false }
        var response = try await browser.get(url.absoluteString)
        if response.status == .ok {
            let fields = ["username=alice", "password=wonderland"] + hiddenFields(response.text)
            // The form's action is the page itself, without its query.
            var request = try HTTPRequest(.post, String(url.absoluteString.prefix { $0 != "?" }))
            request.headerFields[.contentType] = "application/x-www-form-urlencoded"
            response = try await browser.data(for: request, body: .text(fields.joined(separator: "&")))
        }
        guard let location = response.headerFields[.location], isAnswer(location) else {
            throw Unexpected(answer: "\(response.status) \(response.text)")
        }
        return location
    }

    private static func hiddenFields(_ page: String) -> [String] {
        page.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map { match in
            let value = match.2.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            return "\(match.1)=\(value)"
        }
    }
}

extension OAuth2AuthorizationRequest {
    /// A request outside of any login.
    static func made(
        _ configuration: OAuth2Configuration, _ grant: AuthorizationCodeGrant
    ) throws -> OAuth2AuthorizationRequest {
        let client = OAuth2Client(configuration: configuration, requests: OAuth2Requests(try .testing()))
        return OAuth2AuthorizationRequest(client, grant)
    }
}
