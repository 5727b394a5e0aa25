import Foundation
import HttpC
import HttpConversationNIO
import Logon

/// Who asks: everything that the arguments and the profile say about it, checked before anything is sent. One identity, for
/// one URL or several.
struct RequestSetup: Sendable {
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
    /// What no advice asks for.
    let given: GivenSettings
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
    private let rateLimit: Int?
    private let maximumBodyBytes: Int?
    private let allowsBasicAfterDigest: Bool
    private let transport: NIOTransport.Configuration
    private let pins: PublicKeyPinFilter?
    /// The way to the servers.
    private let proxies: ProxySettings
    /// What a person accepted for the named servers before.
    private let knownServers: [KnownServerFilter]
    private let named: Set<Origin>
    /// Sent to the named servers instead of their names.
    private let hostField: HostField?
    private let matches: [ProfileMatch]

    /// - Parameters:
    ///   - urls: what is asked for, one at least
    ///   - profile: that of them all
    ///   - user: of -u, else of the .netrc file, else of the URLs
    init(
        _ command: RequestCommand, for urls: [TargetURL], _ profile: Profile?, _ user: UserArgument?,
        _ netrc: NetrcFile?, _ diagnostics: Diagnostics
    ) async throws(CommandFailure) {
        let state = profile.map { ProfileState(profile: $0.name) }
        let mobile = user == nil ? profile?.logon : nil
        // What a logon keeps of its sessions is in its vault.
        cookies = try await CookiePlan(command.login, user == nil && mobile == nil ? state : nil, diagnostics)
        connection = command.connection
        rateLimit = command.transfers.rateLimit?.bytes
        maximumBodyBytes = command.files.maximumFileSize.flatMap { $0.bytes == 0 ? nil : $0.bytes }
        allowsBasicAfterDigest = command.login.anyAuthentication
        let named = Set(urls.map(\.origin))
        self.named = named
        hostField = try HeaderArgument.host(command.request.headers)
        var transport = try TLSOptions.transport(command.server, profile)
        let direct = try command.connection.reachBySocket(named, proxy: command.server.proxy, &transport)
        self.transport = transport
        pins = try TLSOptions.pins(command.connection)
        proxies = try await ProxyPlan.settings(
            command.server, profile, for: urls.filter { !direct.contains($0.origin) }
        ).without(direct)
        matches = profile?.match ?? []
        knownServers = try await KnownServers.filters(for: named)
        let store = CookieStore(cookies.start, suffixes: PublicSuffixList.installed)
        if let profile, let mobile, let state {
            let web = try ProfileWeb(profile, command.web, state: state, cookies: nil, diagnostics)
            let found = try await RequestLogon(profile, mobile, command, web, transport, proxies, pins, diagnostics)
            logon = found
            session = found.session
            for cookie in store.snapshot.cookies { session.cookies.insert(cookie) }
        } else {
            logon = nil
            session = HttpSession(cookies: store)
        }

        var configurator = CommonAuthenticationConfigurator(session: session)
        try await configurator.addPasswords(
            command.login, user, mobile == nil ? profile : nil, mobile == nil ? netrc : nil, named: named,
            checksCertificates: transport.tls.verifiesCertificates, outcomes)
        try configurator.addCertificate(command.certificate, profile, named: named)
        if let prompt = ProxyPlan.prompt(command.server, proxies) { configurator.add(prompt) }
        var oauth2: ProfileLogin?
        if user == nil, mobile == nil, let profile, let state, let login = profile.oauth2 {
            let found = try ProfileLogin(
                profile, login, certificate: CertificateFile(command.certificate), diagnostics)
            found.configure(&configurator, storage: try await state.tokens())
            oauth2 = found
        }
        if mobile == nil, let profile, let state {
            try ProfileWeb(profile, command.web, state: state, cookies: cookies.kept, diagnostics)
                .configure(&configurator)
        }
        showsPages = mobile != nil || oauth2 != nil || profile?.saml2 != nil || profile?.otp != nil
        self.profile = profile?.name
        given = GivenSettings(
            profile, command.server, command.certificate, hasUser: user != nil && !command.login.sendsBasic)
        // To -u without success the 401 is the answer, as with curl, whatever page comes with it.
        pageFilter = UnaskedSAML2Filter(passesUnauthorized: user != nil)
        self.configurator = configurator
        tokens = oauth2
        expectsLogin = user == nil && (profile?.basic != nil || oauth2 != nil || mobile != nil)
        hasCredentials = user != nil || profile?.basic != nil || mobile != nil
        warnings = Self.warnings(command, profile, checksCertificates: transport.tls.verifiesCertificates)
    }

    private static func warnings(_ command: RequestCommand, _ profile: Profile?, checksCertificates: Bool) -> [String] {
        [
            checksCertificates ? nil : TLSOptions.uncheckedWarning,
            (CertificateFile(command.certificate) ?? profile?.certificate)?.warning,
            profile?.oauth2?.clientKey.flatMap { CertificateFile.warning(of: $0) },
        ].compactMap { $0 }
    }

    /// Whether the person or the profile has named a server.
    func names(_ origin: Origin) -> Bool {
        named.contains { $0.covers(origin) } || matches.contains { $0.origin == origin }
    }

    /// The proxy that a request to a target is answered by, where it is not a tunnel's end.
    func proxy(of target: TargetURL) -> ProxyServer? {
        guard target.origin.scheme == .http, let proxy = try? proxies.proxy(for: target) else { return nil }
        return proxy.kind == .socks5 ? nil : proxy
    }

    /// - Parameter servers: those that a person has just accepted
    func manager(
        observing observers: [any ConversationObserver], accepting servers: [KnownServerFilter] = []
    ) -> HttpConversationManager {
        var settings = transport
        if let seconds = connection.continueTimeout { settings.continueTimeout = .seconds(seconds) }
        var configuration = HttpConversationManager.Configuration(session: session)
        configuration.proxies = proxies
        if let hostField { for origin in named { configuration.hostFields[origin] = hostField } }
        // Also where there is no certificate: a server that demands one is then known to have asked.
        configuration.challengeFilters.add(ClientCertificateFilter(providers: []), id: FlowID.clientCertificate)
        if let pins { configuration.challengeFilters.add(pins) }
        for known in servers + knownServers { configuration.challengeFilters.add(known) }
        if let logon { configuration.apply(logon.configurator) }
        configuration.apply(configurator)
        // Where redirects are not followed, the 3xx is the answer.
        if !connection.noLocation { configuration.redirectFilters.add(pageFilter, id: UnaskedSAML2Filter.id) }
        configuration.responseFilters.add(pageFilter, id: UnaskedSAML2Filter.id)
        configuration.observers.add(outcomes)
        for observer in observers { configuration.observers.add(observer) }
        configuration.redirects.follows = !connection.noLocation
        configuration.redirects.maximumRedirects =
            connection.maximumRedirects < 0 ? .max : connection.maximumRedirects
        configuration.decompresses = connection.compressed
        configuration.maximumBodyBytes = maximumBodyBytes
        configuration.allowsBasicAfterDigest = allowsBasicAfterDigest
        if let seconds = connection.connectTimeout { configuration.connectTimeout = .seconds(seconds) }
        // --max-time is the limit that counts; questions to a person end with it. A login in a browser may be forgotten.
        if !showsPages { configuration.interactionTimeout = nil }
        let transport = NIOTransport(configuration: settings)
        guard let rateLimit else { return HttpConversationManager(transport: transport, configuration: configuration) }
        return HttpConversationManager(
            transport: RateLimitedTransport(transport, bytesPerSecond: rateLimit), configuration: configuration)
    }
}

extension CommonAuthenticationConfigurator {
    /// Those of -u or the URL, else of the profile; then those of the .netrc file.
    fileprivate mutating func addPasswords(
        _ options: LoginOptions, _ user: UserArgument?, _ profile: Profile?, _ netrc: NetrcFile?, named: Set<Origin>,
        checksCertificates: Bool, _ outcomes: ChallengeOutcomes
    ) async throws(CommandFailure) {
        if let user {
            var typed: [Origin: Redacted<String>] = [:]
            if options.sendsBasic, user.password == nil {
                // What is typed for one server is for that one (security rule S31).
                for origin in named.sorted(by: { $0.description < $1.description }) {
                    typed[origin] = try await PasswordPrompt.ask(for: user.name, at: origin)
                }
            }
            if !user.isFromNetrc {
                let provider = CommandLineProvider(
                    user: user, named: named, typed: typed, trustsRedirects: options.trustsRedirects,
                    outcomes: outcomes)
                add(provider, digestOnly: options.digestOnly, outcomes)
            }
            if options.sendsBasic { try addAhead(user, typed, named) }
        } else if let profile, let login = profile.basic {
            let provider = ProfileProvider(profile: profile, login: login, outcomes: outcomes)
            add(provider, digestOnly: options.digestOnly, outcomes)
        }
        if let netrc {
            let provider = NetrcProvider(
                file: netrc, user: user.flatMap { $0.isFromNetrc ? $0 : nil }, named: named,
                checksCertificates: checksCertificates, outcomes: outcomes)
            add(provider, digestOnly: options.digestOnly, outcomes)
        }
    }

    /// --basic: for servers that never ask.
    fileprivate mutating func addAhead(
        _ user: UserArgument, _ typed: [Origin: Redacted<String>], _ origins: Set<Origin>
    ) throws(CommandFailure) {
        do throws(ConversationError) {
            for origin in origins {
                guard let password = user.password ?? typed[origin] else { continue }
                add(
                    try SentAheadPassword(
                        UsernamePassword(username: user.name, password: password.value), for: origin))
            }
        } catch {
            throw CommandFailure(.usage, "--basic: \(error.message)")
        }
    }

    fileprivate mutating func add(
        _ provider: some UsernamePasswordProvider, digestOnly: Bool, _ outcomes: ChallengeOutcomes
    ) {
        let once = OnceRefusedProvider(base: provider, outcomes: outcomes)
        if digestOnly { add(DigestOnlyProvider(base: once, outcomes: outcomes)) } else { add(once) }
    }
}
