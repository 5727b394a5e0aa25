import Foundation
import HttpC
import Logon

/// Everything that the arguments and the profile ask for, checked before anything is sent.
struct RequestSetup: Sendable {
    let request: HTTPRequest
    let body: RequestBody?
    let session: HttpSession
    let cookies: CookiePlan
    let outcomes = ChallengeOutcomes()
    let warnings: [String]
    /// Whether a profile wants the answer of somebody logged in, so that a 401 is a failure.
    let expectsLogin: Bool
    /// Whether there is anything to answer a challenge with.
    let hasCredentials: Bool

    /// The profile that applies.
    let profile: String?
    /// The OAuth2 of the profile.
    let tokens: ProfileLogin?
    /// The logon of the profile, whose vault has what logins need.
    let logon: RequestLogon?

    /// Whether there may be a login on web pages.
    private let showsPages: Bool
    /// A login page that nobody asked for is a failure.
    private let pageFilter: UnaskedSAML2Filter
    private let configurator: CommonAuthenticationConfigurator
    private let connection: ConnectionOptions
    private let maximumBodyBytes: Int?
    private let allowsBasicAfterDigest: Bool
    private let transport: NIOTransport.Configuration
    private let pins: PublicKeyPinFilter?
    /// The way to the servers.
    private let proxies: ProxySettings
    /// What a person accepted for the named server before.
    private let knownServer: KnownServerFilter?
    private let named: Origin
    private let matches: [ProfileMatch]

    init(_ command: RequestCommand, _ diagnostics: Diagnostics) async throws(CommandFailure) {
        let url = try URLArgument(command.url)
        let profile = try ProfileChoice.choose(
            command.login.profile, for: url.target, from: try ConfigurationFile.load(command.login.config))
        let user = command.login.user.map { UserArgument($0) } ?? url.user
        let payload = try RequestPayload(command.request)
        let state = profile.map { ProfileState(profile: $0.name) }
        let mobile = user == nil ? profile?.logon : nil
        // What a logon keeps of its sessions is in its vault.
        cookies = try await CookiePlan(command.login, user == nil && mobile == nil ? state : nil, diagnostics)
        request = try RequestHead(command, payload, cookies.field).request(for: url.target)
        body = payload.body
        connection = command.connection
        maximumBodyBytes = command.output.maximumFileSize.flatMap { $0.bytes == 0 ? nil : $0.bytes }
        allowsBasicAfterDigest = command.login.anyAuthentication
        transport = try TLSOptions.transport(command.connection.server, profile)
        pins = try TLSOptions.pins(command.connection)
        proxies = try await ProxyPlan.settings(command.connection.server.proxy, profile, for: url.target)
        let origin = url.target.origin
        named = origin
        matches = profile?.match ?? []
        knownServer = try await KnownServers.pin(of: origin).map { KnownServerFilter(origin: origin, pin: $0) }
        let store = CookieStore(cookies.start, suffixes: PublicSuffixList.installed)
        if let profile, let mobile, let state {
            let web = try ProfileWeb(profile, command.web, state: state, cookies: nil, tls: transport.tls, diagnostics)
            let found = try await RequestLogon(profile, mobile, command, web, transport, proxies, diagnostics)
            logon = found
            session = found.session
            for cookie in store.snapshot.cookies { session.cookies.insert(cookie) }
        } else {
            logon = nil
            session = HttpSession(cookies: store)
        }

        var configurator = CommonAuthenticationConfigurator(session: session)
        let digestOnly = command.login.digestOnly
        if let user {
            let provider = CommandLineProvider(
                user: user, named: url.target.origin, trustsRedirects: command.login.trustsRedirects, outcomes: outcomes
            )
            configurator.add(provider, digestOnly: digestOnly, outcomes)
        } else if mobile == nil, let profile, let login = profile.basic {
            let provider = ProfileProvider(profile: profile, login: login, outcomes: outcomes)
            configurator.add(provider, digestOnly: digestOnly, outcomes)
        }
        try configurator.addCertificate(command.certificate, profile, named: url.target.origin)
        var oauth2: ProfileLogin?
        if user == nil, mobile == nil, let profile, let state, let login = profile.oauth2 {
            let found = try ProfileLogin(
                profile, login, certificate: CertificateFile(command.certificate), diagnostics)
            found.configure(&configurator, storage: try await state.tokens())
            oauth2 = found
        }
        if mobile == nil, let profile, let state {
            try ProfileWeb(profile, command.web, state: state, cookies: cookies.kept, tls: transport.tls, diagnostics)
                .configure(&configurator)
        }
        showsPages = mobile != nil || oauth2 != nil || profile?.saml2 != nil || profile?.otp != nil
        self.profile = profile?.name
        // To -u without success the 401 is the answer, as with curl, whatever page comes with it.
        pageFilter = UnaskedSAML2Filter(passesUnauthorized: user != nil)
        self.configurator = configurator
        tokens = oauth2
        expectsLogin = user == nil && (profile?.basic != nil || oauth2 != nil || mobile != nil)
        hasCredentials = user != nil || profile?.basic != nil || mobile != nil
        let keyFiles =
            [(CertificateFile(command.certificate) ?? profile?.certificate)?.warning]
            + [profile?.oauth2?.clientKey.flatMap { CertificateFile.warning(of: $0) }]
        warnings =
            (transport.tls.verifiesCertificates ? [] : ["Warning: -k: the server's certificate is not checked."])
            + keyFiles.compactMap { $0 }
    }

    /// Whether the person or the profile has named a server.
    func names(_ origin: Origin) -> Bool {
        named.covers(origin) || matches.contains { $0.origin == origin }
    }

    /// The proxy that a request to a target is answered by, where it is not a tunnel's end.
    func proxy(of target: TargetURL) -> ProxyServer? {
        guard target.origin.scheme == .http, let proxy = try? proxies.proxy(for: target) else { return nil }
        return proxy.kind == .socks5 ? nil : proxy
    }

    func manager(
        observing observer: VerboseObserver?, accepting server: KnownServerFilter? = nil
    ) -> HttpConversationManager {
        var configuration = HttpConversationManager.Configuration(session: session)
        configuration.proxies = proxies
        // Also where there is no certificate: a server that demands one is then known to have asked.
        configuration.challengeFilters.add(ClientCertificateFilter(providers: []), id: FlowID.clientCertificate)
        if let pins { configuration.challengeFilters.add(pins) }
        if let known = server ?? knownServer { configuration.challengeFilters.add(known) }
        if let logon { configuration.apply(logon.configurator) }
        configuration.apply(configurator)
        // Where redirects are not followed, the 3xx is the answer.
        if !connection.noLocation { configuration.redirectFilters.add(pageFilter, id: UnaskedSAML2Filter.id) }
        configuration.responseFilters.add(pageFilter, id: UnaskedSAML2Filter.id)
        configuration.observers.add(outcomes)
        if let observer { configuration.observers.add(observer) }
        configuration.redirects.follows = !connection.noLocation
        configuration.redirects.maximumRedirects =
            connection.maximumRedirects < 0 ? .max : connection.maximumRedirects
        configuration.decompresses = connection.compressed
        configuration.maximumBodyBytes = maximumBodyBytes
        configuration.allowsBasicAfterDigest = allowsBasicAfterDigest
        if let seconds = connection.connectTimeout { configuration.connectTimeout = .seconds(seconds) }
        // --max-time is the limit that counts; questions to a person end with it. A login in a browser may be forgotten.
        if !showsPages { configuration.interactionTimeout = nil }
        return HttpConversationManager(
            transport: NIOTransport(configuration: transport), configuration: configuration)
    }
}

extension CommonAuthenticationConfigurator {
    fileprivate mutating func add(
        _ provider: some UsernamePasswordProvider, digestOnly: Bool, _ outcomes: ChallengeOutcomes
    ) {
        if digestOnly { add(DigestOnlyProvider(base: provider, outcomes: outcomes)) } else { add(provider) }
    }
}
