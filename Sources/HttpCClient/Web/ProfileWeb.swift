import HttpC
import HttpCTerminal
import HttpConvPlatform

/// The web logins of a profile, as profile and command line configure them.
struct ProfileWeb: Sendable {
    let profile: Profile
    let diagnostics: Diagnostics
    /// The profile's state.
    let state: ProfileState
    /// The profile's cookies; nil if they are not used.
    let cookies: ProfileCookies?

    private let singleSignOn: ProfileSingleSignOn?
    private var answers: PreparedAnswers
    private let wish: Profile.ViewerChoice?
    /// The profile's choices after its first one.
    private let others: [Profile.ViewerChoice]
    private let isHeadless: Bool
    private let isUnattended: Bool
    private let isUnwatched: Bool

    /// - Parameter usesSingleSignOn: whether sessions at identity providers are used; false for an explicit -u, which
    ///   ignores stored sessions (security rule S16)
    init(
        _ profile: Profile, _ settings: WebSettings, state: ProfileState, cookies: ProfileCookies?,
        usesSingleSignOn: Bool = true, _ diagnostics: Diagnostics
    ) {
        self.profile = profile
        self.state = state
        self.cookies = cookies
        self.diagnostics = diagnostics
        answers = PreparedAnswers(profile, settings)
        singleSignOn =
            usesSingleSignOn
            ? ProfileSingleSignOn(profile, typed: settings.answerOrigins, state: state, diagnostics) : nil
        isHeadless = settings.isHeadless
        isUnattended = settings.isUnattended
        isUnwatched = settings.isUnwatched
        wish = settings.kind ?? (isHeadless ? .chromium : profile.viewer)
        others = settings.kind == nil && !isHeadless ? profile.otherViewers : []
    }

    /// The web logins without a profile, at the typed servers. Prepared answers need a profile, because it says where
    /// they may go (security rule S14).
    init(_ typed: Set<Origin>, _ settings: WebSettings, _ diagnostics: Diagnostics) {
        var profile = Profile(name: "")
        profile.match = typed.map { ProfileMatch(origin: $0) }
        var settings = settings
        settings.answers = [:]
        self.init(
            profile, settings, state: ProfileState(profile: ""), cookies: nil, usesSingleSignOn: false, diagnostics)
    }

    /// The same with further origins that the person has confirmed. Prepared answers do not go there.
    func confirming(_ origins: [Origin]) -> ProfileWeb {
        var copy = self
        copy.answers.confirm(origins)
        return copy
    }

    /// Whether a person can be shown pages.
    var canShowPages: Bool { !isHeadless && wish != .headless && wish != Profile.ViewerChoice.none }

    /// Adds the profile's SAML2, its other web login and its one-time codes, and the viewers for all kinds of logins.
    func configure(_ configurator: inout CommonAuthenticationConfigurator) {
        if let saml2 = profile.saml2, saml2.ecp == nil {
            configurator.add(saml2: ProfileSAML2(profile: profile, login: saml2))
        }
        if let login = profile.webLogin { configurator.add(webLogin: ProfileWebLogin(profile: profile, login: login)) }
        if let otp = profile.otp { configurator.add(otp: ProfileOTP(profile: profile, config: otp)) }
        configureScreens(&configurator)
    }

    /// Adds the viewers for all kinds of logins.
    func configureScreens(_ configurator: inout CommonAuthenticationConfigurator) {
        let strategies = WebStrategies(default: ProfileWebStrategy(web: self))
        strategies.defaultOAuth2Strategy = viewer(canListen: true) == .none ? nil : ProfileOAuth2Strategy(web: self)
        configurator.webStrategies = strategies
    }

    /// The person's own browser, if it shows an OAuth2 login.
    ///
    /// - Throws: ``OAuth2Error`` if it is chosen and could not return the login's result; ``CommandFailure`` if nobody
    ///   would see it
    func systemBrowser(for request: OAuth2AuthorizationRequest) throws -> LoopbackOAuth2Strategy? {
        guard viewer(canListen: request.needsListener) == .system else { return nil }
        if isUnwatched { throw CommandFailure(unwatched: profile) }
        guard request.needsListener else {
            throw OAuth2Error(
                .invalidConfiguration,
                "The system's browser cannot bring a login back to \(request.redirectURI): use --web chromium, "
                    + "--web terminal, or a redirect-uri such as http://127.0.0.1:0/callback.")
        }
        return LoopbackOAuth2Strategy(opener: LoginPageOpener(profile: profile, diagnostics: diagnostics))
    }

    /// The strategy that shows a login's pages, with the sessions at identity providers for a request of the match.
    ///
    /// - Throws: ``CommandFailure`` if answers are not available; ``WebLoginError``
    func strategy(
        for login: WebLogin, of target: TargetURL, in viewer: LoginPageViewer
    ) async throws -> any WebLoginStrategy {
        let base = try await strategy(for: login, in: viewer)
        guard let singleSignOn, singleSignOn.serves(target) else { return base }
        return SingleSignOnStrategy(base, at: singleSignOn.policy, in: singleSignOn.store)
    }

    private func strategy(for login: WebLogin, in viewer: LoginPageViewer) async throws -> any WebLoginStrategy {
        switch viewer {
        case .terminal:
            // Nil means that no person can be asked. The error then names the fields without an answer.
            let prompter =
                TerminalPrompter.isAvailable && !isUnattended
                ? TerminalPrompter(onInterrupt: ControllingTerminal.interrupted) : nil
            return try TerminalWebStrategy(
                prompter: prompter, answers: await answers.fetch(state), namedOrigins: Array(answers.named))
        case .chromium(let isHeadless): return try await browser(isHeadless: isHeadless)
        case .system:
            throw WebLoginError(
                .noStrategy,
                "The system's browser keeps its cookies to itself, and the \(login) needs them: "
                    + "use --web chromium or --web terminal.")
        case .none:
            throw WebLoginError(
                .noStrategy,
                "Somebody has to log in on web pages (\(login)), and web = \"none\" says that nothing shows them: "
                    + "use --web chromium or --web terminal, with --answer if no person is there.")
        }
    }

    private func viewer(canListen: Bool) -> LoginPageViewer { viewers(canListen: canListen)[0] }

    /// The viewers of a login, in the order in which they are tried; not empty.
    func viewers(canListen: Bool) -> [LoginPageViewer] {
        LoginPageViewer.choose(
            wish, others: others, isHeadless: isHeadless, hasAnswers: !answers.isEmpty, canListen: canListen,
            in: .current)
    }

    /// The viewer of a login, in words for people.
    func words(canListen: Bool) -> String { words(viewer(canListen: canListen)) }

    /// A viewer, in words for people.
    func words(_ viewer: LoginPageViewer) -> String {
        let isPrepared = answers.isEmpty ? "" : ", with the prepared answers"
        return switch viewer {
        case .terminal: "in the terminal\(isPrepared)"
        case .chromium(isHeadless: false): "in a browser window\(isPrepared)"
        case .chromium(isHeadless: true): "in a browser without a window\(isPrepared)"
        case .system: "in your own browser"
        case .none: "that nothing may show"
        }
    }

    #if os(Linux)
    /// The time for the answer about a session, after which it is not kept.
    private static let questionTime = Duration.seconds(60)

    /// Asks whether the session at an identity provider that the profile does not name is kept (security rule S33).
    private static func confirm(_ origin: Origin, _ profile: String) async throws -> Bool {
        let prompter = TerminalPrompter(onInterrupt: ControllingTerminal.interrupted)
        let question =
            "The login has led to \(origin), which the profile \"\(profile)\" does not name (sso-origins). "
            + "Keep the session there for its next logins?"
        return try await withThrowingTaskGroup(of: Bool.self) { tasks in
            defer { tasks.cancelAll() }
            tasks.addTask { try await prompter.confirm(question) }
            tasks.addTask {
                try await Task.sleep(for: questionTime)
                return false
            }
            return try await tasks.next() ?? false
        }
    }
    #endif

    private func browser(isHeadless: Bool) async throws -> any WebLoginStrategy {
        #if os(Linux)
        var options = ChromiumStrategy.Options()
        options.isHeadless = isHeadless
        options.answers = try await answers.fetch(state)
        if TerminalPrompter.isAvailable, singleSignOn != nil {
            options.confirmsSession = { [name = profile.name] origin in try await Self.confirm(origin, name) }
        }
        // Time to end the browser and to remove its directory.
        Interruption.shared.allowTime(seconds: 8)
        return ChromiumStrategy(options)
        #else
        throw WebLoginError(.noStrategy, "Chromium can be used on Linux only: use --web terminal.")
        #endif
    }
}
