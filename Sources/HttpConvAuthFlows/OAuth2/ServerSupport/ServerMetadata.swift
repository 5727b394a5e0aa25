import HttpConvFormats
public import HttpConversation

/// An issuer's published metadata (RFC 8414 §2, OpenID Connect Discovery §3).
public struct ServerMetadata: Sendable {
    /// The URL of the authorization endpoint.
    public private(set) var authorizationEndpoint: String?
    private(set) var tokenEndpoint: String
    private(set) var revocationEndpoint: String?
    /// The URL of the device authorization endpoint (RFC 8628 §4).
    public private(set) var deviceEndpoint: String?
    private(set) var endSessionEndpoint: String?
    private(set) var pushedRequestEndpoint: String?
    /// Whether authorization requests have to be pushed (RFC 9126 §5).
    private(set) var demandsPushedRequests: Bool
    private(set) var keysEndpoint: String?
    /// Whether answers of the authorization endpoint always name the issuer (RFC 9207 §3).
    private(set) var namesIssuer: Bool
    /// Whether access tokens are bound to the client certificate at the token endpoint (RFC 8705 §3.3).
    private(set) var bindsTokens: Bool
    /// The endpoints for clients with a certificate, by the names of the ordinary ones (RFC 8705 §5).
    private var aliases: [String: String]
    private let place: Origin

    /// Reads a metadata document. Its endpoints must be https, or on this machine if the document is.
    ///
    /// - Parameters:
    ///   - bytes: the document, in JSON
    ///   - issuer: the expected issuer
    ///   - url: the place of the document
    /// - Throws: ``OAuth2Error/Code/issuerMismatch`` if it is about another issuer (security rule S12),
    ///   ``OAuth2Error/Code/discoveryFailed``, ``OAuth2Error/Code/insecureEndpoint``
    public init(_ bytes: [UInt8], issuer: String, at url: TargetURL) throws(OAuth2Error) {
        guard let members = JSONValue.object(bytes) else {
            throw OAuth2Error(.discoveryFailed, "The metadata at \(url) is not a JSON object.", endpoint: url)
        }
        guard members["issuer"]?.text == issuer else {
            throw OAuth2Error(
                .issuerMismatch, Self.mismatch(members["issuer"]?.text, issuer, at: url), endpoint: url)
        }
        guard let token = members["token_endpoint"]?.text else {
            throw OAuth2Error(.discoveryFailed, "The metadata at \(url) names no token endpoint.", endpoint: url)
        }
        tokenEndpoint = token
        authorizationEndpoint = members["authorization_endpoint"]?.text
        revocationEndpoint = members["revocation_endpoint"]?.text
        deviceEndpoint = members["device_authorization_endpoint"]?.text
        endSessionEndpoint = members["end_session_endpoint"]?.text
        pushedRequestEndpoint = members["pushed_authorization_request_endpoint"]?.text
        demandsPushedRequests = members["require_pushed_authorization_requests"]?.bool ?? false
        keysEndpoint = members["jwks_uri"]?.text
        namesIssuer = members["authorization_response_iss_parameter_supported"]?.bool ?? false
        bindsTokens = members["tls_client_certificate_bound_access_tokens"]?.bool ?? false
        var aliases: [String: String] = [:]
        if case .object(let named)? = members["mtls_endpoint_aliases"] { aliases = named.compactMapValues(\.text) }
        self.aliases = aliases
        place = url.origin
        // Only a local configuration may send a person to another application, or to this machine.
        let endpoints = [
            token, authorizationEndpoint, revocationEndpoint, deviceEndpoint, keysEndpoint, endSessionEndpoint,
            pushedRequestEndpoint,
        ]
        for endpoint in endpoints {
            guard let endpoint else { continue }
            _ = try SecureEndpoint.parse(
                endpoint, "endpoint in the metadata of \(url.origin)", namedBy: url.origin)
        }
    }

    private static func mismatch(_ named: String?, _ issuer: String, at url: TargetURL) -> String {
        guard let named else { return "The metadata at \(url) names no issuer." }
        let shown = TerminalText.sanitise(named, limit: 200)
        let advice =
            if named.contains("{") {
                " Put the tenant into the issuer."
            } else if named == issuer + "/" || named + "/" == issuer {
                " Write the issuer exactly as the metadata do."
            } else {
                ""
            }
        return
            "The metadata at \(url) is about the issuer \"\(shown)\", and the configured one is \"\(issuer)\".\(advice)"
    }

    /// Whether all endpoints for a login by this grant and for a log-out are present.
    func isComplete(for grant: DiscoveredGrant) -> Bool {
        let hasGrant =
            switch grant {
            case .authorizationCode: authorizationEndpoint != nil
            case .deviceAuthorization: deviceEndpoint != nil
            case .password, .clientCredentials, .jwtBearer, .saml2Bearer, .tokenExchange: true
            }
        return hasGrant && revocationEndpoint != nil
    }

    /// Adds the endpoints and the server's properties that only another document of the same issuer has.
    func filled(by other: ServerMetadata) -> ServerMetadata {
        var result = self
        result.authorizationEndpoint = authorizationEndpoint ?? other.authorizationEndpoint
        result.revocationEndpoint = revocationEndpoint ?? other.revocationEndpoint
        result.deviceEndpoint = deviceEndpoint ?? other.deviceEndpoint
        result.endSessionEndpoint = endSessionEndpoint ?? other.endSessionEndpoint
        result.pushedRequestEndpoint = pushedRequestEndpoint ?? other.pushedRequestEndpoint
        result.keysEndpoint = keysEndpoint ?? other.keysEndpoint
        result.demandsPushedRequests = demandsPushedRequests || other.demandsPushedRequests
        result.namesIssuer = namesIssuer || other.namesIssuer
        result.bindsTokens = bindsTokens || other.bindsTokens
        result.aliases = aliases.merging(other.aliases) { own, _ in own }
        return result
    }

    /// Replaces the endpoints by those for clients with a certificate, if there are any. They must be https.
    func forCertificates() throws(OAuth2Error) -> ServerMetadata {
        var result = self
        result.tokenEndpoint = try alias("token_endpoint") ?? tokenEndpoint
        result.revocationEndpoint = try alias("revocation_endpoint") ?? revocationEndpoint
        result.pushedRequestEndpoint =
            try alias("pushed_authorization_request_endpoint") ?? pushedRequestEndpoint
        result.deviceEndpoint = try alias("device_authorization_endpoint") ?? deviceEndpoint
        return result
    }

    private func alias(_ name: String) throws(OAuth2Error) -> String? {
        guard let text = aliases[name] else { return nil }
        let what = "mtls_endpoint_aliases.\(name) in the metadata of \(place)"
        let target = try SecureEndpoint.parse(text, what, namedBy: place)
        guard target.origin.scheme == .https else {
            throw OAuth2Error(.insecureEndpoint, "The \(what) is not an https URL.", endpoint: target)
        }
        return text
    }

    /// The possible places of an issuer's metadata, in order.
    ///
    /// - Parameters:
    ///   - issuer: the issuer
    ///   - prefersOpenID: whether OpenID's place comes before RFC 8414's
    /// - Throws: `ConversationError` if the issuer's path cannot be part of a URL
    public static func places(of issuer: TargetURL, prefersOpenID: Bool) throws(ConversationError) -> [TargetURL] {
        let path = issuer.path == "/" ? "" : String(issuer.path.hasSuffix("/") ? issuer.path.dropLast() : issuer.path)
        let openID = try issuer.with(path: "\(path)/.well-known/openid-configuration")
        let oauth = try issuer.with(path: "/.well-known/oauth-authorization-server\(path)")
        return prefersOpenID ? [openID, oauth] : [oauth, openID]
    }
}
