import HttpC

/// `[profiles.NAME.oauth2]`.
package struct OAuth2Table: Sendable {
    /// The values of `grant`.
    package enum Grant: String, CaseIterable, Sendable {
        case code, password
        case clientCredentials = "client-credentials"
        case device
        case jwtBearer = "jwt-bearer"
        case saml2Bearer = "saml2-bearer"
        case tokenExchange = "token-exchange"

        /// Whether it works without a person.
        package var isUnattended: Bool { self != .code && self != .device }
    }

    /// The values of `client-auth`.
    enum ClientAuthentication: String, CaseIterable, Sendable {
        case none
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case privateKey = "private_key_jwt"
        case tls = "tls_client_auth"
        case selfSignedTLS = "self_signed_tls_client_auth"

        var isByCertificate: Bool { self == .tls || self == .selfSignedTLS }
        var isBySecret: Bool { self == .basic || self == .post }
    }

    /// The values of `dpop`.
    enum DPoP: String, CaseIterable, Sendable {
        case none, required
    }

    /// The value of `grant` or of `--grant`, which takes precedence.
    package var grant = Grant.code
    /// The issuer for discovery; nil if the endpoints are given.
    var issuer: String?
    /// The URL of a server with SAP's endpoints and challenges; nil for others.
    var sapServer: String?
    var authorizationEndpoint: String?
    var tokenEndpoint: String?
    var deviceEndpoint: String?
    var revocationEndpoint: String?
    var endSessionEndpoint: String?
    var pushedRequestEndpoint: String?
    var clientID = ""
    var clientSecret: SecretSource?
    /// The value of `client-auth`; nil: decided by whether there is a secret.
    var clientAuthentication: ClientAuthentication?
    /// The file with the key of assertions, absolute.
    var clientKey: String?
    var clientKeyID: String?
    var clientKeyPassphrase: SecretSource?
    var scopes: [String] = []
    /// The resources that the tokens are for.
    var resources: [String] = []
    /// Whether tokens are bound to a key.
    var dpop = DPoP.none
    /// Further parameters of the authorization request; of a grant without a page in a browser, of its token requests
    /// and of the request for a login on another device.
    var parameters: [String: String] = [:]
    var tokenParameters: [String: String] { grant == .code ? [:] : parameters }
    /// The assertions and tokens that are handed in.
    var assertions = OAuth2Assertions()
    /// The value of `redirect-uri`.
    var givenRedirectURI: String?
    /// The redirect URI for servers other than ``sapServer``, which has its own default.
    var redirectURI: String { givenRedirectURI ?? "http://127.0.0.1:0/callback" }
    var username: String?
    var password: SecretSource?
    /// The origins that may get the tokens; nil: those of the profile's match.
    var tokenOrigins: [Origin]?
    /// Whether `token-origins` leave an origin of the match its tokens.
    func givesTokens(to origin: Origin) -> Bool { tokenOrigins?.contains(origin) ?? true }
    /// Whether programs that take either get the ID token rather than the access token.
    var lendsIDToken = false

    /// Whether the profile alone says whose tokens they are, so that the next run may use them.
    package var keepsTokens: Bool {
        switch grant {
        case .tokenExchange, .saml2Bearer: false
        case .jwtBearer: assertions.given == nil
        default: true
        }
    }

    /// The origins of the named servers.
    var servers: Set<Origin> {
        let places = [
            issuer, sapServer, authorizationEndpoint, tokenEndpoint, deviceEndpoint, revocationEndpoint,
            endSessionEndpoint, pushedRequestEndpoint,
        ]
        return Set(places.compactMap { $0.flatMap { try? TargetURL($0).origin } })
    }

    /// The reason why the grant cannot work, with advice; nil if there is none.
    var problem: String? { problems.first }

    /// All reasons why the grant cannot work, with advice.
    var problems: [String] {
        let client = "has no client-id: add the one that the authorization server knows this client by"
        let problems =
            [
                clientID.isEmpty ? client : nil, endpointProblem, authenticationProblem, assertions.problem(of: self),
            ].compactMap { $0 } + grantProblems
        return problems.isEmpty ? [libraryProblem].compactMap { $0 } : problems
    }

    private var grantProblems: [String] {
        switch grant {
        case .password:
            [
                username == nil ? "has no username, which grant = \"password\" needs" : nil,
                password == nil
                    ? "has no password, which grant = \"password\" needs: add password-env or password-file" : nil,
            ].compactMap { $0 }
        case .clientCredentials where clientAuthentication == nil && clientSecret == nil:
            [
                "has no client secret, which grant = \"client-credentials\" needs: "
                    + "add client-secret-env or client-secret-file"
            ]
        default: []
        }
    }

    private var authenticationProblem: String? {
        switch clientAuthentication {
        case .privateKey where clientKey == nil:
            return "has no client-key, which client-auth = \"private_key_jwt\" needs: name the file of the private key"
        case .basic where clientSecret == nil, .post where clientSecret == nil:
            return "has no client secret, which client-auth needs: add client-secret-env or client-secret-file"
        default: break
        }
        if clientKey != nil, clientAuthentication != .privateKey {
            return "has client-key, which is for client-auth = \"private_key_jwt\": add that"
        }
        if clientKey == nil, clientKeyID != nil || clientKeyPassphrase != nil {
            return "has client-key-id or client-key-passphrase, but no client-key"
        }
        if clientSecret != nil, let clientAuthentication, !clientAuthentication.isBySecret {
            return
                "has a client secret, which client-auth = \"\(clientAuthentication.rawValue)\" does not use: leave it out"
        }
        guard sapServer == nil || clientAuthentication == nil || clientAuthentication == .basic else {
            return "has sap-server, which knows client secrets only: leave client-auth out"
        }
        return nil
    }

    private var endpointProblem: String? {
        if sapServer != nil { return sapProblem }
        if let issuer {
            let given = [
                "authorization-endpoint": authorizationEndpoint, "token-endpoint": tokenEndpoint,
                "device-authorization-endpoint": deviceEndpoint, "revocation-endpoint": revocationEndpoint,
                "end-session-endpoint": endSessionEndpoint,
                "pushed-request-endpoint": pushedRequestEndpoint,
            ].filter { $0.value != nil }
            if let other = given.keys.min() {
                return "has both issuer, whose endpoints are discovered, and \(other): leave one out"
            }
            guard (try? TargetURL(issuer))?.origin.isSecure == true else {
                return "has an issuer that is neither an https URL nor one of this machine: secrets go over https only"
            }
            return nil
        }
        if tokenEndpoint == nil { return "has neither issuer nor token-endpoint: add one of them" }
        switch grant {
        case .code where authorizationEndpoint == nil:
            return "has neither issuer nor authorization-endpoint, which grant = \"code\" needs"
        case .device where deviceEndpoint == nil:
            return "has neither issuer nor device-authorization-endpoint, which grant = \"device\" needs"
        default: return nil
        }
    }

    private var sapProblem: String? {
        let given = [
            "issuer": issuer, "device-authorization-endpoint": deviceEndpoint,
            "revocation-endpoint": revocationEndpoint, "end-session-endpoint": endSessionEndpoint,
            "pushed-request-endpoint": pushedRequestEndpoint,
        ].filter { $0.value != nil }
        if let other = given.keys.min() {
            return "has both sap-server, whose endpoints are known, and \(other): leave one out"
        }
        if dpop == .required || !resources.isEmpty || !parameters.isEmpty {
            return "has sap-server, which knows neither dpop nor resources nor parameters: leave them out"
        }
        return grant == .code ? nil : "has sap-server, which is for grant = \"code\" only"
    }

    /// SAP's server support for this client.
    func sapSupport(_ server: String, secret: String?, name: String) throws(OAuth2Error) -> SAPOAuth2ServerSupport {
        try SAPOAuth2ServerSupport(
            serverURL: server, clientID: clientID, clientSecret: secret, scopes: scopes, redirectURI: givenRedirectURI,
            authorizationEndpoint: authorizationEndpoint, tokenEndpoint: tokenEndpoint, name: name)
    }

    /// The library's own checks of values that it gets later, with the secrets replaced.
    private var libraryProblem: String? {
        do throws(OAuth2Error) {
            if let sapServer {
                _ = try sapSupport(sapServer, secret: clientSecret == nil ? nil : "checked later", name: "")
                return nil
            }
            _ = try OAuth2Configuration(
                clientID: clientID, authentication: clientSecret == nil ? .none : .basic(secret: "checked later"),
                tokenEndpoint: tokenEndpoint ?? issuer ?? "", revocationEndpoint: revocationEndpoint,
                endSessionEndpoint: endSessionEndpoint, scopes: scopes, resources: resources,
                grant: .password(UsernamePassword(username: "", password: "")), parameters: tokenParameters)
            if grant == .code {
                _ = try AuthorizationCodeGrant(
                    authorizationEndpoint: authorizationEndpoint ?? issuer ?? "", redirectURI: redirectURI,
                    pushedRequestEndpoint: pushedRequestEndpoint, parameters: parameters)
            }
            return nil
        } catch {
            // The sentence gets its full stop where it is shown.
            return "cannot work: \(error.message.hasSuffix(".") ? error.message.dropLast() : error.message[...])"
        }
    }
}
