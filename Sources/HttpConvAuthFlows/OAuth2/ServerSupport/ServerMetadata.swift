import HttpConversation

/// What an issuer publishes about itself (RFC 8414 §2, OpenID Connect Discovery §3).
struct ServerMetadata: Sendable {
    private(set) var authorizationEndpoint: String?
    let tokenEndpoint: String
    private(set) var revocationEndpoint: String?
    private(set) var deviceEndpoint: String?
    private(set) var keysEndpoint: String?
    /// Whether answers of the authorization endpoint always name the issuer (RFC 9207 §3).
    let namesIssuer: Bool

    /// Reads a metadata document.
    ///
    /// - Throws: ``OAuth2Error/Code/issuerMismatch`` where it is about another issuer (security rule S12)
    init(_ bytes: [UInt8], issuer: String, at url: TargetURL) throws(OAuth2Error) {
        guard let members = JSONValue.object(bytes) else {
            throw OAuth2Error(.discoveryFailed, "The metadata at \(url) is no JSON object.", endpoint: url)
        }
        guard members["issuer"]?.text == issuer else {
            throw OAuth2Error(
                .issuerMismatch, "The metadata at \(url) is about another issuer than the configured one.",
                endpoint: url)
        }
        guard let token = members["token_endpoint"]?.text else {
            throw OAuth2Error(.discoveryFailed, "The metadata at \(url) names no token endpoint.", endpoint: url)
        }
        tokenEndpoint = token
        authorizationEndpoint = members["authorization_endpoint"]?.text
        revocationEndpoint = members["revocation_endpoint"]?.text
        deviceEndpoint = members["device_authorization_endpoint"]?.text
        keysEndpoint = members["jwks_uri"]?.text
        namesIssuer = members["authorization_response_iss_parameter_supported"]?.bool ?? false
        // Only a local configuration may send a person to another application.
        for endpoint in [token, authorizationEndpoint, revocationEndpoint, deviceEndpoint, keysEndpoint] {
            guard let endpoint else { continue }
            _ = try SecureEndpoint.parse(endpoint, "endpoint in the metadata of \(url.origin)")
        }
    }

    /// Whether everything is there that a login by this grant and a log-out need.
    func isComplete(for grant: DiscoveredGrant) -> Bool {
        let hasGrant =
            switch grant {
            case .authorizationCode: authorizationEndpoint != nil
            case .deviceAuthorization: deviceEndpoint != nil
            case .password, .clientCredentials: true
            }
        return hasGrant && revocationEndpoint != nil
    }

    /// With the endpoints that only another document of the same issuer names.
    func filled(by other: ServerMetadata) -> ServerMetadata {
        var result = self
        result.authorizationEndpoint = authorizationEndpoint ?? other.authorizationEndpoint
        result.revocationEndpoint = revocationEndpoint ?? other.revocationEndpoint
        result.deviceEndpoint = deviceEndpoint ?? other.deviceEndpoint
        result.keysEndpoint = keysEndpoint ?? other.keysEndpoint
        return result
    }

    /// Where the metadata of an issuer may be, in the order in which to look.
    ///
    /// - Parameter prefersOpenID: whether OpenID's place comes before RFC 8414's
    static func places(of issuer: TargetURL, prefersOpenID: Bool) throws(ConversationError) -> [TargetURL] {
        let path = issuer.path == "/" ? "" : String(issuer.path.hasSuffix("/") ? issuer.path.dropLast() : issuer.path)
        let openID = try issuer.with(path: "\(path)/.well-known/openid-configuration")
        let oauth = try issuer.with(path: "/.well-known/oauth-authorization-server\(path)")
        return prefersOpenID ? [openID, oauth] : [oauth, openID]
    }
}
