/// A client of the landscape's OAuth2 authorization server (RFC 6749, 2).
public struct OAuthClient: Sendable, Hashable, Codable {
    /// The client identifier.
    public var id: String
    /// The client's secret; nil makes it a public client.
    public var secret: String?
    /// The permitted redirect URIs. A loopback URI of http matches with any port (RFC 8252, 7.3).
    public var redirectURIs: [String]
    /// The permitted grants.
    public var grants: Set<OAuthGrantType>
    /// The permitted scopes.
    public var scopes: [String]
    /// The scopes of a request without `scope`.
    public var defaultScopes: [String] = ["read"]
    /// Whether the user is asked for consent after the login, once.
    public var needsConsent = false
    /// Whether each refresh gives a new refresh token and ends the old one. A second use of the old one ends all tokens
    /// of the authorization.
    public var rotatesRefreshTokens = true
    /// The methods by which a confidential client may send its secret.
    public var secretMethods: Set<OAuthSecretMethod> = [.basic, .post]
    /// The common name of the certificate for authentication (`tls_client_auth`, RFC 8705, 2.1).
    public var certificateName: String?
    /// The public keys for its assertions as PEM text, by their `kid` (`private_key_jwt`, RFC 7523): RSA, P-256 or
    /// Ed25519.
    public var publicKeys: [String: String] = [:]
    /// Whether its tokens are bound to a key (DPoP, RFC 9449): requests without a proof are refused.
    public var usesDPoP = false
    /// Whether its access tokens are bound to the certificate of the request (RFC 8705, 3).
    public var bindsTokens = false

    /// A client; public unless it has a secret.
    public init(
        id: String, secret: String? = nil, redirectURIs: [String] = [], grants: Set<OAuthGrantType>,
        scopes: [String] = OAuthClient.allScopes
    ) {
        self.id = id
        self.secret = secret
        self.redirectURIs = redirectURIs
        self.grants = grants
        self.scopes = scopes
    }

    /// Reads JSON. All members but `id` and `grants` may be missing.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(String.self, forKey: .id),
            secret: try values.decodeIfPresent(String.self, forKey: .secret),
            redirectURIs: try values.decodeIfPresent([String].self, forKey: .redirectURIs) ?? [],
            grants: try values.decode(Set<OAuthGrantType>.self, forKey: .grants),
            scopes: try values.decodeIfPresent([String].self, forKey: .scopes) ?? Self.allScopes)
        defaultScopes = try values.decodeIfPresent([String].self, forKey: .defaultScopes) ?? defaultScopes
        needsConsent = try values.decodeIfPresent(Bool.self, forKey: .needsConsent) ?? needsConsent
        rotatesRefreshTokens =
            try values.decodeIfPresent(Bool.self, forKey: .rotatesRefreshTokens) ?? rotatesRefreshTokens
        secretMethods =
            try values.decodeIfPresent(Set<OAuthSecretMethod>.self, forKey: .secretMethods) ?? secretMethods
        certificateName = try values.decodeIfPresent(String.self, forKey: .certificateName)
        publicKeys = try values.decodeIfPresent([String: String].self, forKey: .publicKeys) ?? [:]
        usesDPoP = try values.decodeIfPresent(Bool.self, forKey: .usesDPoP) ?? false
        bindsTokens = try values.decodeIfPresent(Bool.self, forKey: .bindsTokens) ?? false
    }

    /// All scopes with an effect: `admin` opens `/api/admin`, `openid` gives ID tokens.
    public static let allScopes = ["openid", "profile", "offline_access", "read", "write", "admin"]

    /// The clients `native`, `web`, `machine`, `tv`, `robot`, which authenticates by a certificate for `robot`, and
    /// `service`, which exchanges tokens and assertions. A
    /// landscape also has `signer`, see ``LandscapeCertificates/assertionKeyPEM``.
    public static let defaults: [OAuthClient] = {
        let loopback = ["http://127.0.0.1/callback", "http://[::1]/callback", "http://127.0.0.1/", "http://[::1]/"]
        var web = OAuthClient(
            id: "web", secret: "web-secret: 100% + more",
            redirectURIs: ["https://web.example/callback?from=oauth", "http://127.0.0.1/callback"],
            grants: [.authorizationCode, .refreshToken, .password])
        web.rotatesRefreshTokens = false
        var robot = OAuthClient(id: "robot", grants: [.clientCredentials, .password, .refreshToken])
        robot.certificateName = "robot"
        robot.bindsTokens = true
        return [
            robot,
            OAuthClient(
                id: "native", redirectURIs: loopback + ["com.example.app:/callback"],
                grants: [.authorizationCode, .refreshToken, .password]),
            web,
            OAuthClient(
                id: "machine", secret: "machine-secret", grants: [.clientCredentials], scopes: ["read", "write"]),
            OAuthClient(
                id: "service", secret: "service-secret",
                grants: [.clientCredentials, .jwtBearer, .samlBearer, .tokenExchange, .refreshToken]),
            OAuthClient(id: "tv", grants: [.deviceCode, .refreshToken]),
        ]
    }()
}

extension OAuthClient {
    /// Whether the client needs no authentication.
    var isPublic: Bool { secret == nil && certificateName == nil && publicKeys.isEmpty }

    /// The client with the key ``LandscapeCertificates/assertionKeyPEM``.
    static func signer(publicKeyPEM: String) -> OAuthClient {
        var signer = OAuthClient(
            id: "signer", grants: [.clientCredentials, .password, .refreshToken, .jwtBearer, .tokenExchange])
        signer.publicKeys = ["signer-1": publicKeyPEM]
        return signer
    }

    /// Whether the client may use a redirect URI.
    func accepts(redirectURI: String) -> Bool {
        if redirectURIs.contains(redirectURI) { return true }
        guard let portless = Self.withoutLoopbackPort(redirectURI) else { return false }
        return redirectURIs.contains { Self.withoutLoopbackPort($0) == portless }
    }

    /// An http URI of a loopback address without its port; nil for other URIs.
    private static func withoutLoopbackPort(_ uri: String) -> String? {
        for host in ["http://127.0.0.1", "http://[::1]"] where uri.hasPrefix(host) {
            var rest = uri.dropFirst(host.count)
            if rest.first == ":" {
                let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
                guard let port = Int(digits), (1...65535).contains(port) else { return nil }
                rest = rest.dropFirst(1 + digits.count)
            }
            return rest.isEmpty || rest.first == "/" || rest.first == "?" ? host + rest : nil
        }
        return nil
    }
}

/// The method by which a client sends its secret (RFC 6749, 2.3.1).
public enum OAuthSecretMethod: String, Sendable, Hashable, Codable {
    /// In the `Authorization` field.
    case basic = "client_secret_basic"
    /// In the body.
    case post = "client_secret_post"
}
