/// The grant for endpoints that discovery finds.
public enum DiscoveredGrant: Sendable {
    /// A person logs in; the answer returns to this redirect URI. Further parameters of the authorization request, such
    /// as `prompt`, `max_age`, `acr_values` or `login_hint` (OpenID Connect Core §3.1.2.1).
    case authorizationCode(
        redirectURI: String = OAuth2RedirectURI.ofThisApplication, parameters: [String: String] = [:])
    /// The client sends a person's password.
    case password(UsernamePassword)
    /// The client acts for itself.
    case clientCredentials
    /// A person logs in on another device.
    case deviceAuthorization(any DeviceAuthorizationPresenter)
    /// The application hands in a JSON web token about a person or service (RFC 7523 §2.1).
    case jwtBearer(OAuth2AssertionSource)
    /// The application hands in a SAML 2.0 assertion about a person or service (RFC 7522).
    case saml2Bearer(OAuth2AssertionSource)
    /// The application hands in a token to exchange (RFC 8693).
    case tokenExchange(TokenExchangeGrant)

    var isClientAlone: Bool { if case .clientCredentials = self { true } else { false } }

    /// Whether a person has to log in.
    var needsPerson: Bool {
        switch self {
        case .authorizationCode, .deviceAuthorization: true
        case .password, .clientCredentials, .jwtBearer, .saml2Bearer, .tokenExchange: false
        }
    }

    /// Checks the grant before any server is asked.
    func check() throws(OAuth2Error) {
        guard case .authorizationCode(let redirectURI, let parameters) = self else { return }
        guard !redirectURI.isEmpty else {
            throw OAuth2Error(
                .invalidConfiguration,
                "This application has no bundle identifier that can be the scheme of a redirect URI: register one such as com.example.app:/callback with the server, and give it as redirectURI."
            )
        }
        _ = try OAuth2RedirectURI(redirectURI)
        try AuthorizationCodeGrant.check(parameters)
    }

    func grant(by metadata: ServerMetadata) throws(OAuth2Error) -> OAuth2Grant {
        switch self {
        case .password(let login): return .password(login)
        case .clientCredentials: return .clientCredentials
        case .jwtBearer(let source): return .jwtBearer(source)
        case .saml2Bearer(let source): return .saml2Bearer(source)
        case .tokenExchange(let grant): return .tokenExchange(grant)
        case .authorizationCode(let redirectURI, let parameters):
            guard let endpoint = metadata.authorizationEndpoint else { throw Self.missing("authorization endpoint") }
            let pushed = metadata.demandsPushedRequests ? metadata.pushedRequestEndpoint : nil
            if metadata.demandsPushedRequests, pushed == nil { throw Self.missing("endpoint for pushed requests") }
            return .authorizationCode(
                try AuthorizationCodeGrant(
                    authorizationEndpoint: endpoint, redirectURI: redirectURI, requiresIssuer: metadata.namesIssuer,
                    pushedRequestEndpoint: pushed, parameters: parameters))
        case .deviceAuthorization(let presenter):
            guard let endpoint = metadata.deviceEndpoint else { throw Self.missing("device authorization endpoint") }
            return .deviceAuthorization(try DeviceAuthorizationGrant(endpoint: endpoint, presenter: presenter))
        }
    }

    private static func missing(_ what: String) -> OAuth2Error {
        OAuth2Error(.discoveryFailed, "The issuer's metadata names no \(what): use another grant.")
    }
}
