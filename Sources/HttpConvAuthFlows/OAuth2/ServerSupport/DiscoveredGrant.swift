/// The grant for endpoints that discovery finds.
public enum DiscoveredGrant: Sendable {
    /// A person logs in; the answer returns to this redirect URI.
    case authorizationCode(redirectURI: String = "http://127.0.0.1:0/callback")
    /// The client sends a person's password.
    case password(UsernamePassword)
    /// The client acts for itself.
    case clientCredentials
    /// A person logs in on another device.
    case deviceAuthorization(any DeviceAuthorizationPresenter)

    var isClientAlone: Bool { if case .clientCredentials = self { true } else { false } }

    /// Checks the grant before any server is asked.
    func check() throws(OAuth2Error) {
        if case .authorizationCode(let redirectURI) = self { _ = try OAuth2RedirectURI(redirectURI) }
    }

    func grant(by metadata: ServerMetadata) throws(OAuth2Error) -> OAuth2Grant {
        switch self {
        case .password(let login): return .password(login)
        case .clientCredentials: return .clientCredentials
        case .authorizationCode(let redirectURI):
            guard let endpoint = metadata.authorizationEndpoint else { throw Self.missing("authorization endpoint") }
            return .authorizationCode(
                try AuthorizationCodeGrant(
                    authorizationEndpoint: endpoint, redirectURI: redirectURI, requiresIssuer: metadata.namesIssuer))
        case .deviceAuthorization(let presenter):
            guard let endpoint = metadata.deviceEndpoint else { throw Self.missing("device authorization endpoint") }
            return .deviceAuthorization(try DeviceAuthorizationGrant(endpoint: endpoint, presenter: presenter))
        }
    }

    private static func missing(_ what: String) -> OAuth2Error {
        OAuth2Error(.discoveryFailed, "The issuer's metadata names no \(what): use another grant.")
    }
}
