import Foundation

/// The entity ids and URLs of a service provider and an identity provider, by their base URL.
enum SAMLParty {
    static func serviceProvider(_ base: String) -> String { base + "/saml" }
    static func consumer(_ base: String) -> String { base + "/saml/acs" }
    static func identityProvider(_ base: String) -> String { base + "/idp" }
    static func signOn(_ base: String, _ style: SAMLLoginStyle) -> String { base + "/idp/sso/\(style.rawValue)" }
}

extension LandscapeOrigin {
    /// The origin of the identity provider for this origin's service provider.
    var identityProvider: LandscapeOrigin {
        switch self {
        case .main: .other
        case .other, .raw, .proxy: .main
        case .secure: .secureOther
        case .secureOther, .expired, .wrongName, .secureProxy, .multiplexed: .secure
        // The same origin under another name, so it asks for client certificates, too.
        case .mutual, .mutualOptional: self
        }
    }
}

extension SharedState {
    /// The base URL of the identity provider for a service provider, as browsers see it.
    func identityProviderBase(for origin: LandscapeOrigin) -> String {
        let place = origin.identityProvider
        return "\(place.scheme)://\(service(SAMLServer.self).rule.identityProviderHost):\(addresses.port(of: place))"
    }
}

extension ServerExchange {
    var saml: SAMLServer { shared.service() }
}
