import HttpConvFormats
public import HttpConvPlatform
public import HttpConversation

/// One login at an authorization endpoint: the URL to open, and the check of its answer (RFC 6749 §4.1.1).
public struct OAuth2AuthorizationRequest: Sendable {
    /// The redirect URI as configured. A listener replaces port 0.
    public let redirectURI: OAuth2RedirectURI
    /// The authorization endpoint; nil if another application handles its scheme.
    public let endpoint: TargetURL?

    let state: Redacted<String>
    let nonce: Redacted<String>?
    let proof: ProofKey
    private let client: OAuth2Client
    private var configuration: OAuth2Configuration { client.configuration }
    private let grant: AuthorizationCodeGrant
    /// The grant's further parameters, and those that a server has demanded.
    private let parameters: [String: String]

    /// - Parameter demand: the kind of login that a server has demanded
    init(_ client: OAuth2Client, _ grant: AuthorizationCodeGrant, demand: OAuth2AuthenticationDemand? = nil) {
        self.client = client
        let configuration = client.configuration
        parameters = grant.parameters.merging(demand?.parameters ?? [:]) { $1 }
        self.grant = grant
        redirectURI = grant.redirectURI
        endpoint = grant.endpoint
        state = Redacted(RandomText.make())
        nonce = configuration.asksForIDToken ? Redacted(RandomText.make()) : nil
        proof = ProofKey()
    }

    /// The longest time since the person's login that the ID token may name.
    var maximumAge: Duration? {
        parameters["max_age"].flatMap { PeerNumber.decimal($0) }
            .flatMap { PeerNumber.seconds($0, clampingTo: .seconds(-1_000_000_000)...(.seconds(1_000_000_000))) }
    }

    /// The URL for the person's browser, or the other application. Contains the state: do not log it. If the server
    /// wants the parameters from the client itself (RFC 9126), they are sent first; so ask once for each login.
    ///
    /// - Parameter redirectURI: the URI to use if the configured one leaves its port open
    /// - Throws: `OAuth2Error`, or `CancellationError` if the task is cancelled
    public func url(redirectURI: OAuth2RedirectURI? = nil) async throws -> URL {
        let parameters = parameters(redirectURI ?? self.redirectURI)
        guard let endpoint = grant.pushedRequestEndpoint else { return try url(with: parameters) }
        let reference = try await client.push(parameters, to: endpoint)
        return try url(with: [("client_id", configuration.clientID), ("request_uri", reference)])
    }

    private func parameters(_ redirectURI: OAuth2RedirectURI) -> [FormEncoding.Parameter] {
        var parameters: [FormEncoding.Parameter] = [
            ("response_type", "code"), ("client_id", configuration.clientID),
            ("redirect_uri", redirectURI.text),
        ]
        parameters += configuration.scopeParameter + configuration.resourceParameters
        parameters += [
            ("state", state.value), ("code_challenge", proof.challenge), ("code_challenge_method", "S256"),
        ]
        if let nonce { parameters.append(("nonce", nonce.value)) }
        if let key = client.prover?.key { parameters.append(("dpop_jkt", key.thumbprint)) }
        return parameters + self.parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    private func url(with parameters: [FormEncoding.Parameter]) throws(OAuth2Error) -> URL {
        let query = FormEncoding.encode(parameters)
        if let endpoint {
            do throws(ConversationError) { return try endpoint.appending(query: query).foundationURL } catch {
                throw OAuth2Error(
                    .invalidConfiguration, "The authorization endpoint takes no query.", underlyingError: error)
            }
        }
        // The address belongs to another application, so it is not a `TargetURL`.
        let base = grant.authorizationEndpoint
        let separator = base.contains("?") ? "&" : "?"
        guard let url = URL(string: base + separator + query) else {
            throw OAuth2Error(.invalidConfiguration, "The authorization endpoint is not a URL.")
        }
        return url
    }

    /// Whether the redirect needs a listener of our own: true for a loopback address, unless it is the authorization
    /// server's own, which a web view intercepts.
    public var needsListener: Bool {
        redirectURI.kind == .loopback && (redirectURI.hasAnyPort || redirectURI.target?.origin != endpoint?.origin)
    }

    /// Whether a web view of the application may show the login (``AuthorizationCodeGrant/allowsWebView``).
    public var allowsWebView: Bool { grant.allowsWebView }

    /// Whether a URL ends this login: the redirect URI, with this login's state.
    public func isAnswer(_ url: String, redirectURI: OAuth2RedirectURI? = nil) -> Bool {
        guard (redirectURI ?? self.redirectURI).matches(url) else { return false }
        let states = FormEncoding.query(of: url).filter { $0.name == "state" }
        return states.count == 1 && ConstantTime.isEqual(states[0].value.utf8, state.value.utf8)
    }

    /// The code in an answer.
    ///
    /// - Throws: if the URL does not answer this request, comes from another issuer, or reports an error
    func code(in answer: OAuth2AuthorizationAnswer) throws(OAuth2Error) -> String {
        guard isAnswer(answer.callback.value, redirectURI: answer.redirectURI) else {
            throw refused(.invalidRedirect, "it does not belong to this login: its URL or its state differs")
        }
        let parameters = FormEncoding.query(of: answer.callback.value)
        for name in ["code", "iss", "error"] where parameters.count(where: { $0.name == name }) > 1 {
            throw refused(.invalidRedirect, "it has \(name) more than once")
        }
        let value = { (name: String) in parameters.first { $0.name == name }?.value }
        try checkIssuer(value("iss"), mayBeMissing: !grant.requiresIssuer || value("error") != nil)
        if let error = value("error") {
            throw OAuth2Error(
                error == "access_denied" ? .accessDenied : .refused, "The login for \(configuration) was refused.",
                serverError: error, serverDescription: value("error_description"), endpoint: endpoint)
        }
        guard let code = value("code"), !code.isEmpty else { throw refused(.invalidRedirect, "it brings no code") }
        return code
    }

    /// Protects against answers of another server that the client also knows (RFC 9207 §2.4).
    ///
    /// Some servers omit their name in errors. That is harmless: such an answer has no code.
    private func checkIssuer(_ named: String?, mayBeMissing: Bool) throws(OAuth2Error) {
        guard let issuer = configuration.issuer else { return }
        if named == nil, mayBeMissing { return }
        guard named == issuer else { throw refused(.issuerMismatch, "it does not come from the configured issuer") }
    }

    private func refused(_ code: OAuth2Error.Code, _ why: String) -> OAuth2Error {
        OAuth2Error(code, "The redirect of the login for \(configuration) is refused: \(why).", endpoint: endpoint)
    }
}

extension OAuth2AuthorizationRequest: CustomStringConvertible, CustomReflectable {
    /// The configuration and the redirect URI, without state and proof key.
    public var description: String { "login for \(configuration), back at \(redirectURI)" }
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

/// The URL to which the authorization server redirected the person.
public struct OAuth2AuthorizationAnswer: Sendable {
    /// The whole URL, with code and state in its query.
    public let callback: Redacted<String>
    /// The redirect URI that the login was opened with.
    public let redirectURI: OAuth2RedirectURI

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - url: the URL as text, of any scheme
    ///   - redirectURI: the redirect URI of the login
    public init(url: some TargetURLConvertible, redirectURI: OAuth2RedirectURI) {
        callback = Redacted(url.urlText)
        self.redirectURI = redirectURI
    }
}

extension OAuth2AuthorizationRequest {
    /// The authorization endpoint, for strategies that show web pages.
    ///
    /// - Throws: ``OAuth2Error/Code/invalidConfiguration`` if it has another scheme
    package func webEndpoint() throws(OAuth2Error) -> TargetURL {
        guard let endpoint else {
            throw OAuth2Error(
                .invalidConfiguration, "The authorization endpoint is not a web page: use CustomSchemeOAuth2Strategy.")
        }
        return endpoint
    }
}
