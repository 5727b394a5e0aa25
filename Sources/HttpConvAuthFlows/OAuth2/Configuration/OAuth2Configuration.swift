import HttpConvFormats
public import HttpConversation

/// The grant, the endpoints and the client with which tokens for a server are obtained. Checked when it is created.
///
/// ```swift
/// let configuration = try OAuth2Configuration(
///     clientID: "native", tokenEndpoint: "https://login.example.com/token", scopes: ["read"],
///     grant: .authorizationCode(AuthorizationCodeGrant(
///         authorizationEndpoint: "https://login.example.com/authorize",
///         redirectURI: "http://127.0.0.1:0/callback")))
/// ```
public struct OAuth2Configuration: Sendable {
    /// The client's id at the authorization server.
    public let clientID: String
    /// How the client authenticates.
    public private(set) var authentication: OAuth2ClientAuthentication
    /// The token endpoint.
    public let tokenEndpoint: TargetURL
    /// The revocation endpoint (RFC 7009), if the server has one.
    public let revocationEndpoint: TargetURL?
    /// The endpoint that ends the person's session at the server (OpenID Connect RP-Initiated Logout §2), if it has
    /// one.
    public let endSessionEndpoint: TargetURL?
    /// The endpoint that publishes the keys of ID tokens.
    public let keysEndpoint: TargetURL?
    /// The authorization server's identifier, exactly as written; answers that name another one are refused (RFC 9207).
    public let issuer: String?
    /// The scopes to request.
    public let scopes: [String]
    /// The grant for the first tokens.
    public let grant: OAuth2Grant
    /// The resources that the tokens are for (RFC 8707): absolute URIs, sent with each request for a login or tokens.
    public let resources: [String]
    /// Whether tokens are bound to a key that each request proves to have (DPoP, RFC 9449). Unbound tokens are refused.
    public let usesDPoP: Bool
    /// Further parameters of token requests, and of the request for a login on another device.
    public let parameters: [String: String]
    /// Whether the server binds access tokens to the client certificate at the token endpoint (RFC 8705 §3.2 and §3.3).
    public let bindsTokens: Bool

    /// Creates a configuration, and checks everything that can be checked without a server.
    ///
    /// - Throws: ``OAuth2Error/Code/invalidConfiguration``, ``OAuth2Error/Code/insecureEndpoint``
    public init(
        clientID: String, authentication: OAuth2ClientAuthentication = .none,
        tokenEndpoint: some TargetURLConvertible, revocationEndpoint: (any TargetURLConvertible)? = nil,
        endSessionEndpoint: (any TargetURLConvertible)? = nil, keysEndpoint: (any TargetURLConvertible)? = nil,
        issuer: (any TargetURLConvertible)? = nil,
        scopes: [String] = [], resources: [String] = [], grant: OAuth2Grant, parameters: [String: String] = [:],
        bindsTokens: Bool = false, usesDPoP: Bool = false
    ) throws(OAuth2Error) {
        try Self.check(clientID: clientID)
        try Self.check(scopes: scopes)
        try Self.check(resources: resources)
        try Self.check(parameters: parameters, without: Self.parametersOfTokenRequests)
        try Self.check(authentication, isClientAlone: grant.isClientAlone)
        self.clientID = clientID
        self.authentication = authentication
        self.tokenEndpoint = try SecureEndpoint.parse(tokenEndpoint, "token endpoint")
        self.revocationEndpoint = try SecureEndpoint.parse(ifGiven: revocationEndpoint, "revocation endpoint")
        self.endSessionEndpoint = try SecureEndpoint.parse(ifGiven: endSessionEndpoint, "end session endpoint")
        self.keysEndpoint = try SecureEndpoint.parse(ifGiven: keysEndpoint, "keys endpoint")
        self.issuer = issuer?.urlText
        self.scopes = scopes
        self.resources = resources
        self.usesDPoP = usesDPoP
        self.grant = grant
        self.parameters = parameters
        self.bindsTokens = bindsTokens
        try checkTokenEndpoint()
    }

    /// Refuses further parameters that the flow sets itself.
    static func check(parameters: [String: String], without reserved: Set<String>) throws(OAuth2Error) {
        guard let taken = parameters.keys.first(where: reserved.contains) else { return }
        throw OAuth2Error(.invalidConfiguration, "The parameter \(taken) is set by the flow itself: leave it out.")
    }

    static let parametersOfTokenRequests: Set<String> = [
        "grant_type", "client_id", "client_secret", "client_assertion", "client_assertion_type", "scope", "resource",
        "code", "redirect_uri", "code_verifier", "refresh_token", "device_code", "username", "password", "assertion",
        "subject_token", "subject_token_type", "actor_token", "actor_token_type", "requested_token_type",
    ]

    /// The same configuration for a client that authenticates in another way.
    ///
    /// - Throws: as
    ///   ``init(clientID:authentication:tokenEndpoint:revocationEndpoint:endSessionEndpoint:keysEndpoint:issuer:scopes:resources:grant:parameters:bindsTokens:usesDPoP:)``
    public func authenticating(by authentication: OAuth2ClientAuthentication) throws(OAuth2Error) -> OAuth2Configuration
    {
        try Self.check(authentication, isClientAlone: grant.isClientAlone)
        var copy = self
        copy.authentication = authentication
        try copy.checkTokenEndpoint()
        return copy
    }

    private func checkTokenEndpoint() throws(OAuth2Error) {
        guard authentication.isByCertificate, tokenEndpoint.origin.scheme != .https else { return }
        throw OAuth2Error(
            .insecureEndpoint,
            "The token endpoint \(tokenEndpoint) is plain http: a client authenticates by certificate over https only.",
            endpoint: tokenEndpoint)
    }

    /// Whether an ID token is requested (OpenID Connect Core §3.1.2.1).
    public var asksForIDToken: Bool { scopes.contains("openid") }

    /// The authorization server as the audience of assertions: never a URL out of metadata if there is an issuer.
    var identifier: String { issuer ?? tokenEndpoint.absoluteString }

    static func check(clientID: String) throws(OAuth2Error) {
        guard !clientID.isEmpty, clientID.isPrintableASCII else {
            throw OAuth2Error(
                .invalidConfiguration, "The client id is empty or contains a character that none may have.")
        }
    }

    static func check(scopes: [String]) throws(OAuth2Error) {
        if let index = scopes.firstIndex(where: { !isScope($0) }) {
            throw OAuth2Error(
                .invalidConfiguration,
                "Number \(index + 1) of the scopes is not a scope: give each scope by itself (RFC 6749 §3.3).")
        }
    }

    static func check(resources: [String]) throws(OAuth2Error) {
        for (index, resource) in resources.enumerated() {
            let isAbsolute = resource.firstIndex(ofASCII: ":").map { $0 > resource.startIndex } ?? false
            guard isAbsolute, resource.isVisibleASCII, !resource.contains("#") else {
                throw OAuth2Error(
                    .invalidConfiguration,
                    "Number \(index + 1) of the resources is not an absolute URI without fragment (RFC 8707 §2).")
            }
        }
    }

    static func check(_ authentication: OAuth2ClientAuthentication, isClientAlone: Bool) throws(OAuth2Error) {
        if authentication.secret?.isEmpty == true {
            throw OAuth2Error(
                .invalidConfiguration, "The client secret is empty: a client without one uses no authentication.")
        }
        if isClientAlone, case .none = authentication.method {
            throw OAuth2Error(
                .invalidConfiguration,
                "The client credentials grant needs a client secret, key or certificate (RFC 6749 §4.4).")
        }
    }

    private static func isScope(_ text: String) -> Bool {
        text.isNQChars
    }
}

extension OAuth2Configuration: CustomStringConvertible, CustomReflectable {
    /// Grant, client and token endpoint.
    public var description: String {
        "OAuth2 \(grant) for client \(TerminalText.sanitise(clientID, limit: 60)) at \(tokenEndpoint)"
    }
    public var customMirror: Mirror { Mirror(self, children: ["configuration": description]) }
}
