package import HttpC
package import HttpCTerminal
import HttpConvLogon
import HttpConvPlatform
import HttpConversationNIO

/// The identity under which requests are sent: the settings of the arguments and the profile, checked before anything
/// is sent. One identity serves one URL or several.
package struct RequestSetup: Sendable {
    let session: HttpSession
    let cookies: CookiePlan
    let outcomes = ChallengeOutcomes()
    package let warnings: [String]
    /// Whether the profile has a login, so that a 401 is a failure.
    package let expectsLogin: Bool
    /// Whether there are credentials for a challenge.
    let hasCredentials: Bool

    /// The name of the profile in use.
    package let profile: String?
    /// The settings that no advice repeats.
    let given: GivenSettings
    /// The profile's OAuth2.
    let oauth2: ProfileOAuth2?
    /// The profile's logon, whose vault has the credentials.
    let logon: RequestLogon?

    /// The web logins of the profile, or of no profile; nil if there are no questions about recognised logins: with a
    /// user, or with a logon.
    private let web: ProfileWeb?
    /// Whether there may be a login at servers that nobody has named.
    private let logsInElsewhere: Bool
    /// Whether there may be a login on web pages.
    private let showsPages: Bool
    /// Fails a conversation that gets the page of an unconfigured login; nil if the page is wanted.
    private let loginFilter: RecognizedLoginFilter?
    private let client: Client
    /// The logins; those of the logon if there is one.
    private let configurator: any ManagerConfigurator
    private let plan: ClientPlan
    private let named: Set<Origin>
    /// The `Host` for the named servers, instead of their names.
    private let hostField: HostField?
    private let matches: [ProfileMatch]

    /// - Parameters:
    ///   - urls: the requested URLs, at least one
    ///   - hostField: the `Host` for their servers, instead of the servers' names
    ///   - profile: the profile for all of them
    ///   - user: the login of -u, else of the .netrc file, else of the URLs
    package init(
        _ plan: ClientPlan, for urls: [TargetURL], hostField: HostField?, _ profile: Profile?, _ user: UserArgument?,
        _ diagnostics: Diagnostics
    ) async throws(CommandFailure) {
        let state = profile.map { ProfileState(profile: $0.name) }
        let mobile = user == nil ? profile?.logon : nil
        guard mobile != nil || plan.account == nil else {
            throw CommandFailure(.usage, "--account needs a profile with a logon, and excludes -u.")
        }
        if let profile, mobile != nil, plan.sendsBasic {
            throw CommandFailure(
                .usage,
                "--basic: the profile \"\(profile.name)\" has a logon, which sends no password ahead: leave out --basic, or use -u."
            )
        }
        // With a logon, sessions are stored in its vault.
        cookies = try await CookiePlan(plan, user == nil && mobile == nil ? state : nil, diagnostics)
        self.plan = plan
        let named = Set(urls.map(\.origin))
        self.named = named
        self.hostField = hostField
        var others: Set<Origin> = []
        if let profile, let server = try mobile?.server(of: profile, at: nil) { others = [server.origin] }
        client = try await Client(plan.connection, profile, for: urls, certificateAlsoFor: others)
        warnings = client.warnings
        matches = profile?.match ?? []
        let store = CookieStore(cookies.start, suffixes: PublicSuffixList.installed)
        var web: ProfileWeb?
        if let profile, let state {
            web = ProfileWeb(
                profile, plan.web, state: state, cookies: cookies.kept, usesSingleSignOn: user == nil, diagnostics)
        }
        let logins = try await SetupLogins(
            plan, profile, user, named: named, client, web, state: state, store, outcomes, diagnostics)
        session = logins.session
        configurator = logins.configurator
        logon = logins.logon
        oauth2 = logins.oauth2
        self.web = user == nil && mobile == nil ? web ?? ProfileWeb(named, plan.web, diagnostics) : nil
        showsPages = mobile != nil || oauth2 != nil || profile?.hasWebLogin == true
        logsInElsewhere = showsPages || profile?.kerberos != nil || plan.kerberos.isForServers || plan.netrc != nil
        self.profile = profile?.name
        let canGoAhead =
            user != nil || mobile == nil && profile.map { $0.basic != nil && named.allSatisfy($0.isForAll) } == true
        given = GivenSettings(profile, plan.connection, hasUser: canGoAhead && !plan.sendsBasic)
        // After a failed -u the 401 is the answer, as with curl, even if a login page comes with it.
        loginFilter =
            plan.acceptsLoginPages
            ? nil
            : RecognizedLoginFilter(passesUnauthorized: user != nil) { [configuration = plan.configuration] in
                diagnostics.message(LoginPageAdvice.line($0, in: configuration, hasUser: user != nil))
            }
        expectsLogin =
            user == nil
            && (profile?.basic != nil || profile?.kerberos != nil || oauth2 != nil || mobile != nil)
        hasCredentials =
            user != nil || profile?.basic != nil || profile?.kerberos != nil || mobile != nil
            || plan.kerberos.isForServers
    }

    /// The file of `--config`; nil for the usual one.
    var configuration: String? { plan.configuration }

    /// Whether the person or the profile has named a server.
    func names(_ origin: Origin) -> Bool {
        named.contains { $0.covers(origin) } || matches.contains { $0.origin == origin }
    }

    /// Whether there may be a login at a server that a redirect leads to, also one that the redirect does not show.
    package func mayLogIn(at origin: Origin) -> Bool { logsInElsewhere || hasCredentials && names(origin) }

    /// The proxy that answers requests to a target itself; nil without one, and for tunnels.
    package func proxy(of target: TargetURL) -> ProxyServer? {
        guard target.origin.scheme == .http, let proxy = try? client.configuration.proxies.proxy(for: target) else {
            return nil
        }
        return proxy.kind == .socks5 ? nil : proxy
    }

    /// The message about a proxy's 407 that is the final answer.
    package func explain(_ head: HTTPResponse, from proxy: ProxyServer) -> String {
        guard head.headerFields.contains(.proxyAuthenticate) else {
            return "The proxy \(proxy) wants a login (407), but does not say how: it sent no challenge, without which "
                + "no login is sent."
        }
        let what = proxy.login == nil ? "there is none" : "does not accept the one there is"
        return "The proxy \(proxy) wants a login (407), and \(what): use --proxy-user, or proxy-user in a profile."
    }

    /// Throws an error for a final answer in which a proxy wants a login.
    func requireNoProxyLogin(_ stream: ConversationStream) throws(ConversationError) {
        guard stream.status.code == 407, let proxy = proxy(of: stream.url) else { return }
        let text = explain(stream.head, from: proxy)
        throw ConversationError(
            .proxyRefused, text, underlyingError: CommandFailure(ExitStatus(.proxyRefused), text))
    }

    /// The value of a `Cookie` field from -b name=value.
    package var cookieField: String? { cookies.field }

    /// Forgets the cookies of the session if the profile was logged out since the last call. Cheap enough for each
    /// request.
    package func followLogout() async throws(CommandFailure) { try await cookies.kept?.followRemoval(session) }

    /// Saves the session's state.
    package func save() async throws(CommandFailure) {
        try await CommandFailure.both(
            { () async throws(CommandFailure) in try await cookies.save(session) },
            { () async throws(CommandFailure) in try await logon?.shareSession() })
    }

    /// Whether a person may be asked about a login that was recognised.
    var canAskForLogin: Bool { !plan.acceptsLoginPages && web?.canShowPages == true }

    /// - Parameters:
    ///   - pins: the pins of the keys that a person has just accepted, by origin
    ///   - logins: the recognised logins that the person has just confirmed
    package func manager(
        observing observers: [any ConversationObserver], accepting pins: [String: String] = [:],
        confirming logins: [RecognizedLogin] = [], connections: Int? = nil
    ) -> HttpConversationManager {
        var client = client
        if let connections {
            client.transport.maximumConnectionsPerOrigin = connections
            client.transport.maximumConnections = 2 * connections
        }
        if let limit = plan.continueTimeout { client.transport.continueTimeout = limit }
        client.transport.sendsAccept = plan.sendsAccept
        client.transport.sendsUserAgent = plan.sendsUserAgent
        var configuration = client.configuration
        configuration.session = session
        if let hostField { for origin in named { configuration.hostFields[origin] = hostField } }
        if !pins.isEmpty { configuration.challengeFilters.add(KnownServerFilter(pins: pins)) }
        configuration.apply(configurator)
        if let web, !logins.isEmpty {
            var confirmed = CommonAuthenticationConfigurator(session: session)
            for login in logins { ConfirmedLogin(login).configure(&confirmed) }
            web.confirming(logins.compactMap(\.provider)).configureScreens(&confirmed)
            configuration.apply(confirmed)
        }
        if let loginFilter {
            // If redirects are not followed, the 3xx is the answer.
            if plan.followsRedirects { configuration.redirectFilters.add(loginFilter, id: RecognizedLoginFilter.id) }
            configuration.responseFilters.add(loginFilter, id: RecognizedLoginFilter.id)
        }
        configuration.observers.add(outcomes, id: "outcomes")
        if let oauth2 { configuration.observers.add(oauth2.support, id: "refused secrets") }
        for observer in observers { configuration.observers.add(observer) }
        configuration.redirects.follows = plan.followsRedirects
        configuration.redirects.maximumRedirects = plan.maximumRedirects
        configuration.decompresses = plan.decompresses
        configuration.maximumBodyBytes = plan.maximumBodyBytes
        configuration.allowsBasicAfterDigest = plan.allowsBasicAfterDigest
        // The limit is --max-time, which also ends questions. A login in a browser may be forgotten, so it keeps its
        // own limit.
        if !showsPages, logins.isEmpty { configuration.interactionTimeout = nil }
        let transport = NIOTransport(configuration: client.transport)
        guard let rateLimit = plan.rateLimit else {
            return HttpConversationManager(transport: transport, configuration: configuration)
        }
        return HttpConversationManager(
            transport: RateLimitedTransport(transport, bytesPerSecond: rateLimit), configuration: configuration)
    }
}
