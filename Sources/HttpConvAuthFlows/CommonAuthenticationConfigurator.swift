public import HttpConversation
public import UserInteractionMultiplexing

/// Configures managers with the authentication flows of this library, for one identity.
///
/// ```swift
/// var login = CommonAuthenticationConfigurator.password("alice", secret, for: "https://example.com")
/// login.add(saml2: provider)
/// let manager = HttpConversationManager(login)
/// ```
/// All managers that one configurator (or a copy of it) configures share its session: they are the same person. Several
/// configurators of one manager are one person, too. Configuring twice is harmless; a filter is removed by its id, such as
/// ``FlowID/usernamePassword``.
public struct CommonAuthenticationConfigurator: ManagerConfigurator {
    /// The identity that the configured managers get: the one that is given, else that of the first configuration.
    public var session: HttpSession {
        get { person.session }
        set {
            guard !person.stands(for: newValue) else { return }
            person = ConfiguratorSession(newValue)
            oauth2.identityChanged()
        }
    }
    private var person: ConfiguratorSession
    private let id = ConfiguratorID()
    private var sentAheadPasswords: [SentAheadPassword] = []
    /// What is wrong with what it was given; the managers that it configures say so.
    private var problems: [ConversationError] = []
    private var usernamePasswordProviders: [any UsernamePasswordProvider] = []
    private var usernamePasswordFlow = FlowIdentity()
    private var certificateProviders: [any ClientCertProvider] = []
    private var certificateFlow = FlowIdentity()
    private var saml2 = ConfigurationLookup<SAML2Config>("SAML2")
    private var otp = ConfigurationLookup<OTPConfig>("one-time-code")
    private var oauth2 = OAuth2Setup()
    private var web = WebLoginEnvironment() { didSet { webChanged() } }
    private var saml2Flow = WebLoginFlow(.saml2, web: WebLoginEnvironment())
    private var otpFlow = WebLoginFlow(.otp, web: WebLoginEnvironment())
    private var csrfServices: [CSRFService] = []
    private var ownMultiplexer: UserInteractionMultiplexer?

    /// A configurator without providers.
    ///
    /// - Parameter session: who its managers are; nil: as the first configuration that it meets
    public init(session: HttpSession? = nil) { person = ConfiguratorSession(session) }

    package mutating func add(_ password: SentAheadPassword) { sentAheadPasswords.append(password) }

    mutating func report(_ problem: ConversationError) { problems.append(problem) }

    /// Adds a provider of user names and passwords; they are asked in order of addition.
    public mutating func add(_ provider: some UsernamePasswordProvider) {
        usernamePasswordProviders.append(provider)
        // A copy may get other providers: their questions must not be taken for this one's.
        usernamePasswordFlow = FlowIdentity()
    }

    /// Adds a provider of client certificates, for servers that ask for one in the TLS handshake; they are asked in order
    /// of addition.
    public mutating func add(clientCertificate provider: some ClientCertProvider) {
        certificateProviders.append(provider)
        certificateFlow = FlowIdentity()
    }

    /// Adds a provider that knows SAML2 service providers; they are asked in order of addition.
    public mutating func add(saml2 provider: some SAML2ConfigProvider) {
        saml2.add { try await provider.saml2Config(for: $0, in: $1) }
        saml2Flow = WebLoginFlow(.saml2, web: web)
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

    /// Names a service whose CSRF tokens are fetched elsewhere than its URLs suggest, or before it demands one.
    /// Services that demand tokens are served without that, too: that is on by default, see ``FlowID/csrf``.
    public mutating func add(csrf service: CSRFService) { csrfServices.append(service) }

    /// Where OAuth2 tokens are kept; in memory unless something else is set. Managers configured before keep theirs.
    /// A storage belongs to one person: a server program gives each of its users one.
    public var tokenStorage: any OAuth2TokenStorage {
        get { oauth2.storage }
        set { oauth2.use(newValue) }
    }

    /// How OAuth2 tokens are renewed.
    public var oauth2Settings: OAuth2Settings {
        get { oauth2.settings }
        set { oauth2.settings = newValue }
    }

    /// How logins are shown to a person.
    public var webStrategies: WebStrategies {
        get { web.strategies }
        set { web.strategies = newValue }
    }

    /// Keeps logins and questions for passwords to one screen at a time; that of the managers unless something else is
    /// set.
    public var multiplexer: UserInteractionMultiplexer {
        get { ownMultiplexer ?? .shared }
        set { ownMultiplexer = newValue }
    }

    /// Where codes come in that an authenticator application calls back with.
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
    }

    /// The tokens of the managers that this configurator configures. It can be taken at any time: what is added to or set
    /// on the configurator later, it sees as well. A copy that is changed has one of its own.
    public var tokenManager: OAuth2TokenManager { OAuth2TokenManager(oauth2.current) }

    public func configure(_ configuration: inout HttpConversationManager.Configuration) {
        configuration.join(person)
        for problem in problems { configuration.report(problem) }
        if let ownMultiplexer { configuration.multiplexer = ownMultiplexer }
        // Before the logins: what they attach tells a request that is being tried out. One for all configurators.
        let known = configuration.filters(of: CSRFFilter.self).first?.services ?? []
        configuration.add(CSRFFilter(services: known + csrfServices.filter { !known.contains($0) }), id: FlowID.csrf)
        if !saml2.providers.isEmpty {
            configuration.add(SAML2Filter(configurations: saml2, flow: saml2Flow), id: FlowID.saml2, of: id)
        }
        if !otp.providers.isEmpty {
            configuration.add(OTPRedirectFilter(configurations: otp, flow: otpFlow), id: FlowID.otp, of: id)
        }
        if !oauth2.supports.isEmpty {
            configuration.add(OAuth2Filter(flow: oauth2.flow), id: FlowID.oauth2, of: id)
        }
        // The certificates of clients first: their tokens are bound to them.
        let certificates = oauth2.flow.certificateProviders + certificateProviders
        if !certificates.isEmpty {
            configuration.challengeFilters.add(
                ClientCertificateFilter(providers: certificates, flow: certificateFlow),
                id: FlowID.clientCertificate, of: id)
        }
        // One for all configurators: it knows nothing but the proxies themselves.
        configuration.challengeFilters.add(ProxyLoginFilter(), id: FlowID.proxyLogin)
        guard !usernamePasswordProviders.isEmpty else { return }
        configuration.challengeFilters.add(
            UsernamePasswordFilter(providers: usernamePasswordProviders, flow: usernamePasswordFlow),
            id: FlowID.usernamePassword, of: id)
        configuration.challengeFilters.add(
            UsernamePasswordFilter(
                providers: usernamePasswordProviders, flow: usernamePasswordFlow, isForProxies: true),
            id: FlowID.proxyPassword, of: id)
        // Under one id: whoever removes passwords means these, too.
        guard !sentAheadPasswords.isEmpty else { return }
        configuration.requestFilters.add(
            SentAheadFilter(passwords: sentAheadPasswords), id: FlowID.usernamePassword, of: id)
    }
}

extension CommonAuthenticationConfigurator: CustomStringConvertible, CustomReflectable {
    /// The number of providers; what they know is not shown.
    public var description: String {
        "CommonAuthenticationConfigurator with \(usernamePasswordProviders.count) password providers, \(certificateProviders.count) of client certificates, \(oauth2.supports.count) OAuth2 servers, \(saml2.providers.count) SAML2 and \(otp.providers.count) one-time-code providers"
    }
    public var customMirror: Mirror {
        Mirror(self, children: ["usernamePasswordProviders": usernamePasswordProviders.count])
    }
}
