public import HttpConversation

/// Configures managers with the authentication flows of this library, for one identity.
///
/// ```swift
/// var login = CommonAuthenticationConfigurator.password("alice", secret, for: "https://example.com")
/// login.add(saml2: provider)
/// let manager = HttpConversationManager(login)
/// ```
/// All managers that one configurator (or a copy of it) configures share its session: they act for the same person.
/// Several configurators of one manager share a person, too. Configuring twice has no further effect. A filter is
/// removed by its id, such as ``FlowID/usernamePassword``.
public struct CommonAuthenticationConfigurator: ManagerConfigurator {
    /// The session of the configured managers: the given one, else the one of the first configuration.
    public var session: HttpSession {
        get { person.session }
        set {
            guard !person.uses(newValue) else { return }
            person = ConfiguratorSession(newValue)
            oauth2.identityChanged()
        }
    }
    private var person: ConfiguratorSession
    private let id = ConfiguratorID()
    private var sentAheadPasswords: [SentAheadPassword] = []
    private let sentAheadAttempts = SentAheadAttempts()
    /// Invalid arguments; the configured managers report them.
    private var problems: [ConversationError] = []
    private var usernamePasswordProviders: [any UsernamePasswordProvider] = []
    private var usernamePasswordFlow = FlowIdentity()
    private var negotiateProviders: [any NegotiateProvider] = []
    private var negotiateFlow = FlowIdentity()
    private var certificateProviders: [any ClientCertProvider] = []
    private var certificateFlow = FlowIdentity()
    private var saml2 = ConfigurationLookup<SAML2Config>("SAML2")
    private var ecp = ConfigurationLookup<ECPConfiguration>("ECP")
    private var ecpFlow = FlowIdentity()
    private let ecpAttempts = PasswordAttempts<ECPLogin.Place>()
    private var otp = ConfigurationLookup<OTPConfig>("one-time-code")
    private var webLogin = ConfigurationLookup<WebLoginConfiguration>("web login")
    private var oauth2 = OAuth2Setup()
    private var web = WebLoginEnvironment() { didSet { webChanged() } }
    private var saml2Flow = WebLoginFlow(.saml2, web: WebLoginEnvironment())
    private var otpFlow = WebLoginFlow(.otp, web: WebLoginEnvironment())
    private var webLoginFlow = WebLoginFlow(.webLogin, web: WebLoginEnvironment())
    private var csrfServices: [CSRFService] = []
    private var ownMultiplexer: UserInteractionMultiplexer?

    /// Creates a configurator without providers.
    ///
    /// - Parameter session: the session of its managers; nil: the one of the first configuration
    public init(session: HttpSession? = nil) { person = ConfiguratorSession(session) }

    /// Adds a password that is sent before the server asks for it.
    public mutating func add(_ password: SentAheadPassword) { sentAheadPasswords.append(password) }

    mutating func report(_ problem: ConversationError) { problems.append(problem) }

    /// Adds a provider of user names and passwords; they are asked in order of addition.
    public mutating func add(_ provider: some UsernamePasswordProvider) {
        usernamePasswordProviders.append(provider)
        // A copy may get other providers, so its questions must be separate.
        usernamePasswordFlow = FlowIdentity()
    }

    /// Adds a provider of Kerberos tickets, for servers and proxies that ask by Negotiate; the first that serves a
    /// server answers.
    public mutating func add(negotiate provider: some NegotiateProvider) {
        negotiateProviders.append(provider)
        negotiateFlow = FlowIdentity()
    }

    /// Adds a provider of client certificates, for servers that ask for one in the TLS handshake; they are asked in
    /// order of addition.
    public mutating func add(clientCertificate provider: some ClientCertProvider) {
        certificateProviders.append(provider)
        certificateFlow = FlowIdentity()
    }

    /// Adds a provider that knows SAML2 service providers; they are asked in order of addition.
    public mutating func add(saml2 provider: some SAML2ConfigProvider) {
        saml2.add { try await provider.saml2Config(for: $0, in: $1) }
        saml2Flow = WebLoginFlow(.saml2, web: web)
    }

    /// Adds a provider that knows SAML2 service providers that are logged in to without a page; they are asked in order
    /// of addition.
    public mutating func add(ecp provider: some ECPConfigurationProvider) {
        ecp.add { target, _ in try await provider.ecpConfiguration(for: target) }
        ecpFlow = FlowIdentity()
    }

    /// Adds a provider that knows servers with other web logins; they are asked in order of addition.
    public mutating func add(webLogin provider: some WebLoginConfigurationProvider) {
        webLogin.add { try await provider.webLoginConfiguration(for: $0, in: $1) }
        webLoginFlow = WebLoginFlow(.webLogin, web: web)
    }

    /// Adds a provider that knows servers with one-time codes; they are asked in order of addition.
    public mutating func add(otp provider: some OTPConfigProvider) {
        otp.add { try await provider.otpConfig(for: $0, in: $1) }
        otpFlow = WebLoginFlow(.otp, web: web)
    }

    /// Adds support for a server that wants OAuth2 tokens; several are asked in order of addition.
    public mutating func add(oauth2 support: some OAuth2ServerSupport) {
        oauth2.supports.append(support)
        if support.authentication?.certificate != nil { certificateFlow = FlowIdentity() }
    }

    /// Adds a service whose CSRF tokens are fetched from a particular root, or before it demands one. Other services
    /// that demand tokens are served, too: that is on by default, see ``FlowID/csrf``.
    public mutating func add(csrf service: CSRFService) { csrfServices.append(service) }

    /// The storage for OAuth2 tokens; in memory by default. Managers configured before keep theirs. A storage belongs
    /// to one person: a server program gives each of its users one.
    public var tokenStorage: any OAuth2TokenStorage {
        get { oauth2.storage }
        set { oauth2.use(newValue) }
    }

    /// The settings for renewing OAuth2 tokens.
    public var oauth2Settings: OAuth2Settings {
        get { oauth2.settings }
        set { oauth2.settings = newValue }
    }

    /// The strategies that show logins to a person.
    public var webStrategies: WebStrategies {
        get { web.strategies }
        set { web.strategies = newValue }
    }

    /// Keeps logins and questions for passwords to one screen at a time. Defaults to the multiplexer of the managers.
    public var multiplexer: UserInteractionMultiplexer {
        get { ownMultiplexer ?? .shared }
        set { ownMultiplexer = newValue }
    }

    /// Receives the URLs with which an authenticator application returns a code.
    public var customURLSchemes: CustomURLSchemeManagement {
        get { web.schemes }
        set { web.schemes = newValue }
    }

    /// Opens the authenticator application for a one-time-code form that links to it; nil: such links do nothing.
    public var externalURLOpener: (any ExternalURLOpener)? {
        get { web.opener }
        set { web.opener = newValue }
    }

    private mutating func webChanged() {
        oauth2.web = web
        saml2Flow = WebLoginFlow(.saml2, web: web)
        otpFlow = WebLoginFlow(.otp, web: web)
        webLoginFlow = WebLoginFlow(.webLogin, web: web)
    }

    /// The tokens of the managers that this configurator configures. It may be taken at any time: it sees later changes
    /// of the configurator. A copy of the configurator that is changed has a token manager of its own.
    public var tokenManager: OAuth2TokenManager { OAuth2TokenManager(oauth2.current) }

    public func configure(_ configuration: inout HttpConversationManager.Configuration) {
        configuration.join(person)
        for problem in problems { configuration.report(problem) }
        if let ownMultiplexer { configuration.multiplexer = ownMultiplexer }
        // This filter comes before the logins, because the fields that they add reveal a login attempt. All
        // configurators share one filter.
        let known = configuration.filters(of: CSRFFilter.self).first?.services ?? []
        configuration.add(CSRFFilter(services: known + csrfServices.filter { !known.contains($0) }), id: FlowID.csrf)
        // ECP comes before SAML2, because a server with both needs no page.
        if !ecp.providers.isEmpty {
            configuration.add(
                ECPFilter(configurations: ecp, flow: ecpFlow, attempts: ecpAttempts), id: FlowID.ecp, of: id)
        }
        if !saml2.providers.isEmpty {
            configuration.add(SAML2Filter(configurations: saml2, flow: saml2Flow), id: FlowID.saml2, of: id)
        }
        if !otp.providers.isEmpty {
            configuration.add(OTPRedirectFilter(configurations: otp, flow: otpFlow), id: FlowID.otp, of: id)
        }
        // The second factor comes first: its redirect may have the signs of a login, too.
        if !webLogin.providers.isEmpty {
            configuration.add(
                WebLoginFilter(configurations: webLogin, flow: webLoginFlow), id: FlowID.webLogin, of: id)
        }
        if !oauth2.supports.isEmpty {
            configuration.add(OAuth2Filter(flow: oauth2.flow), id: FlowID.oauth2, of: id)
        }
        // Certificates of OAuth2 clients come first: their tokens are bound to them.
        let certificates = oauth2.flow.certificateProviders + certificateProviders
        if !certificates.isEmpty {
            configuration.challengeFilters.add(
                ClientCertificateFilter(providers: certificates, flow: certificateFlow),
                id: FlowID.clientCertificate, of: id)
        }
        if !negotiateProviders.isEmpty {
            configuration.challengeFilters.add(
                NegotiateFilter(providers: negotiateProviders, flow: negotiateFlow), id: FlowID.negotiate, of: id)
            configuration.challengeFilters.add(
                NegotiateFilter(providers: negotiateProviders, flow: negotiateFlow, isForProxies: true),
                id: FlowID.proxyNegotiate, of: id)
        }
        // All configurators share one filter, because its only logins are those of the proxies.
        configuration.challengeFilters.add(ProxyLoginFilter(), id: FlowID.proxyLogin)
        if !usernamePasswordProviders.isEmpty {
            configuration.challengeFilters.add(
                UsernamePasswordFilter(providers: usernamePasswordProviders, flow: usernamePasswordFlow),
                id: FlowID.usernamePassword, of: id)
            configuration.challengeFilters.add(
                UsernamePasswordFilter(
                    providers: usernamePasswordProviders, flow: usernamePasswordFlow, isForProxies: true),
                id: FlowID.proxyPassword, of: id)
        }
        // These have the same id, so that removing password logins removes them, too.
        guard !sentAheadPasswords.isEmpty else { return }
        configuration.requestFilters.add(
            SentAheadFilter(passwords: sentAheadPasswords, attempts: sentAheadAttempts), id: FlowID.usernamePassword,
            of: id)
        configuration.observers.add(sentAheadAttempts, id: FlowID.usernamePassword, of: id)
    }
}

extension CommonAuthenticationConfigurator: CustomStringConvertible, CustomReflectable {
    /// The number of providers of each kind.
    public var description: String {
        "CommonAuthenticationConfigurator with \(usernamePasswordProviders.count) password providers, \(negotiateProviders.count) of Kerberos tickets, \(certificateProviders.count) of client certificates, \(oauth2.supports.count) OAuth2 servers, \(saml2.providers.count) SAML2, \(ecp.providers.count) ECP, \(webLogin.providers.count) web login and \(otp.providers.count) one-time-code providers"
    }
    public var customMirror: Mirror {
        Mirror(self, children: ["usernamePasswordProviders": usernamePasswordProviders.count])
    }
}
