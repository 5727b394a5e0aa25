public import HttpConvAuthFlows
public import HttpConversation

/// Shows login pages as questions in a terminal, for machines without a display and for unattended logins.
///
/// A small browser for forms: it follows redirects and self-submitting forms, shows a page's text, asks for its fields,
/// and keeps its own cookies during the login. It runs no scripts: a page that needs them ends in
/// ``/HttpConvAuthFlows/WebLoginError/Code/unsupportedPage``. Requests are child conversations of the one that needs
/// the login. They use its transport, its providers of user names and passwords for 401s, and its providers of client
/// certificates.
///
/// ```swift
/// WebStrategies.shared.setDefault(TerminalWebStrategy(prompter: TerminalPrompter()))      // a person
/// WebStrategies.shared.setDefault(TerminalWebStrategy(prompter: nil, answers: answers))   // unattended
/// ```
public struct TerminalWebStrategy: WebLoginStrategy {
    private let prompter: (any FormPrompter)?
    private let answers: FormAnswers?
    private let namedOrigins: Set<Origin>
    private let maximumPages: Int
    /// The time limit for the server of one page; tests shorten it.
    var pageTime = Duration.seconds(60)
    /// The time limit for all pages of one login together.
    var loginTime = Duration.seconds(600)

    /// Creates a strategy that uses the answers and asks for the rest.
    ///
    /// - Parameters:
    ///   - prompter: asks the person; nil for unattended logins: then a required field without an answer is an error
    ///   - answers: the values by the names of the fields
    ///   - maximumPages: the maximum number of pages of one login, including self-submitting ones
    public init(prompter: (any FormPrompter)?, answers: FormAnswers? = nil, maximumPages: Int = 30) {
        self.prompter = prompter
        self.answers = answers
        namedOrigins = []
        self.maximumPages = maximumPages
    }

    /// Creates a strategy that uses the answers and asks for the rest, with origins that are known to be right.
    ///
    /// - Parameters:
    ///   - prompter: asks the person; nil for unattended logins: then a required field without an answer is an error
    ///   - answers: the values by the names of the fields
    ///   - namedOrigins: the origins whose questions need no consent, in addition to those of the answers, of the
    ///     caller's URL and of the login's configured start. For any other origin the person is asked before the first
    ///     text is entered. Only the origin of a URL counts
    ///   - maximumPages: the maximum number of pages of one login, including self-submitting ones
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidURL``,
    ///   ``/HttpConversation/ConversationError/Code/unsupportedScheme``
    public init(
        prompter: (any FormPrompter)?, answers: FormAnswers? = nil, namedOrigins: [any TargetURLConvertible],
        maximumPages: Int = 30
    ) throws(ConversationError) {
        self.prompter = prompter
        self.answers = answers
        self.namedOrigins = try namedOrigins.origins()
        self.maximumPages = maximumPages
    }

    public func perform(_ login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome {
        let time = LoginPageTime(page: pageTime, all: loginTime, clock: context.configuration.clock)
        let browser = FormBrowser(login, in: context, time: time)
        let singleUse = answers?.forOneLogin(in: context)
        let navigator = FormNavigator(
            login: login, prompter: prompter, singleUse: singleUse,
            origins: NamedOrigins(named(login, context)), sent: SentForms(in: context),
            clock: context.configuration.clock, time: time)
        var navigation = Navigation(to: .page(login.start))
        var view = WebLoginPolicy.View(isAttended: prompter != nil)
        view.refusesDowngrades = true
        var policy = WebLoginPolicy(login, in: view)
        var pages = 0
        while pages < maximumPages {
            // A redirect may have an answer in the name of its server.
            switch try await navigator.hidingSecrets({ try await browser.go(navigation, &policy) }) {
            case .finished(let url): return outcome(url, browser, navigator)
            case .arrived(let page):
                let asking = page.arrived(singleUse)
                if let url = try await tried(login, page, asking, browser, &policy, isStuck: page.failure != nil) {
                    return outcome(url, browser, navigator)
                }
                if let failure = page.failure { throw failure }
                do {
                    navigation = try await navigator.next(after: page)
                } catch let error as WebLoginError
                    where [.pageFailed, .missingAnswer, .answersRefused].contains(error.code)
                {
                    // The form may be the resource's own.
                    guard let url = try await tried(login, page, asking, browser, &policy, isStuck: true) else {
                        throw error.at(status: page.status)
                    }
                    return outcome(url, browser, navigator)
                }
                if navigation.recipient != nil { login.trial?.noteInput() }
                if !navigation.hasWaited { pages += 1 }
            }
        }
        throw WebLoginError(
            .pageFailed, "The \(login) has led over \(maximumPages) pages without an end. Is its configuration right?")
    }

    private func outcome(
        _ url: some TargetURLConvertible, _ browser: FormBrowser, _ navigator: FormNavigator
    ) -> WebLoginOutcome {
        WebLoginOutcome(
            url: url, cookies: browser.cookies, singleSignOn: browser.cookiesByOrigin,
            confirmedOrigins: navigator.origins.confirmed)
    }

    /// Finds out whether the login is done at a page.
    ///
    /// - Parameter isStuck: whether it cannot go on there
    /// - Returns: the URL of its end; nil if it goes on
    private func tried(
        _ login: WebLogin, _ page: LoadedPage, _ asking: ArrivedPage, _ browser: FormBrowser,
        _ policy: inout WebLoginPolicy, isStuck: Bool
    ) async throws -> String? {
        let url = page.url.absoluteString
        if case .tryResource = policy.decide(.response(from: url, status: page.status, isMainFrame: true)),
            let trial = login.trial
        {
            let isDone = try await trial.attempt(browser.cookies, at: asking, isStuck: isStuck)
            if case .finish(let url) = policy.decide(.tried(isDone)) { return url }
        }
        _ = policy.decide(.arrived(url))
        return nil
    }

    private func named(_ login: WebLogin, _ context: ConversationContext) -> Set<Origin> {
        var origins = namedOrigins.union(answers?.origins ?? [])
        origins.insert(context.target.origin)
        // A server's redirect may lead to a one-time-code form, and to a resource that is tried; the other logins start
        // at a configured URL.
        if login.purpose != .otp, login.trial == nil { origins.insert(login.start.origin) }
        return origins
    }
}
