import Foundation

/// Who a service provider and an identity provider are, from the scheme, host and port that they are reached at.
enum SAMLParty {
    static func serviceProvider(_ base: String) -> String { base + "/saml" }
    static func consumer(_ base: String) -> String { base + "/saml/acs" }
    static func identityProvider(_ base: String) -> String { base + "/idp" }
    static func signOn(_ base: String, _ style: SAMLLoginStyle) -> String { base + "/idp/sso/\(style.rawValue)" }
}

extension LandscapeOrigin {
    /// The origin whose identity provider the service provider of this one sends browsers to.
    var identityProvider: LandscapeOrigin {
        switch self {
        case .main: .other
        case .other, .raw, .proxy: .main
        case .secure: .secureOther
        case .secureOther, .expired, .wrongName, .secureProxy, .multiplexed: .secure
        // Under another name: what it asks of clients, it asks of those of both.
        case .mutual, .mutualOptional: self
        }
    }
}

extension World {
    /// Scheme, host and port of the identity provider for a service provider, as browsers see it.
    func identityProviderBase(for origin: LandscapeOrigin) -> String {
        let place = origin.identityProvider
        return "\(place.scheme)://\(saml.rule.identityProviderHost):\(addresses.port(of: place))"
    }

    /// The origin that a scheme, host and port lead to; nil if they lead elsewhere.
    func origin(ofBase base: String) -> LandscapeOrigin? {
        let hosts = ["127.0.0.1", "localhost"] + configuration.extraHostNames
        return LandscapeOrigin.allCases.first { origin in
            let port = addresses.port(of: origin)
            return hosts.contains { "\(origin.scheme)://\($0):\(port)" == base }
        }
    }
}

extension ServerExchange {
    var saml: SAMLServer { world.saml }

    /// Scheme, host and port as the client knows them, if they are the landscape's.
    var ownBase: String {
        let claimed = "\(origin.scheme)://\(field("Host") ?? "")"
        return world.origin(ofBase: claimed) == origin ? claimed : world.addresses.base(of: origin)
    }
}
