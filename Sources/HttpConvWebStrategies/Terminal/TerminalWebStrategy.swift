public import HttpConvAuthFlows
public import HttpConversation

/// Shows login pages as questions in a terminal, for machines without a display, and for logins that nobody attends.
///
/// A small browser of forms: it follows redirects and self-submitting forms, shows what a page says, asks for its
/// fields, and keeps cookies of its own for the time of the login. It runs no scripts: a page that needs them ends in
/// ``/HttpConvAuthFlows/WebLoginError/Code/unsupportedPage``. Requests go through child conversations of the one that
/// needs the login: same transport, 401s answered by its provider of user names and passwords, servers that ask for a
/// client certificate by its provider of those.
///
/// ```swift
/// WebStrategies.shared.setDefault(TerminalWebStrategy(prompter: TerminalPrompter()))      // a person
/// WebStrategies.shared.setDefault(TerminalWebStrategy(prompter: nil, answers: answers))   // nobody
/// ```
public struct TerminalWebStrategy: WebLoginStrategy {
    private let prompter: (any FormPrompter)?
    private let answers: FormAnswers?
    private let namedOrigins: Set<Origin>
    private let maximumPages: Int
    /// How long the server of one page may take; tests have less time.
    var pageTime = Duration.seconds(60)
    /// The same for all pages of one login together.
    var loginTime = Duration.seconds(600)

    /// A strategy that takes what it can from the answers and asks for the rest.
    ///
    /// - Parameters:
    ///   - prompter: who is asked; nil where nobody is there: then a required field without an answer is an error
    ///   - answers: the values by the names of the fields
    ///   - maximumPages: of one login, self-submitting ones included
    public init(prompter: (any FormPrompter)?, answers: FormAnswers? = nil, maximumPages: Int = 30) {
        self.prompter = prompter
        self.answers = answers
        namedOrigins = []
        self.maximumPages = maximumPages
    }

    /// A strategy that takes what it can from the answers and asks for the rest, with servers that are known to be right.
    ///
    /// - Parameters:
    ///   - prompter: who is asked; nil where nobody is there: then a required field without an answer is an error
    ///   - answers: the values by the names of the fields
    ///   - namedOrigins: whose questions need no further consent, beside those of the answers, of the caller's URL and
    ///     of the login's configured start: before the first text is entered for any other, the person is asked.
    ///     Of a URL its origin counts
    ///   - maximumPages: of one login, self-submitting ones included
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
        let navigator = FormNavigator(
            login: login, prompter: prompter, singleUse: answers?.forOneLogin(),
            origins: NamedOrigins(named(login, context)), clock: context.configuration.clock, time: time)
        var navigation = Navigation(to: .page(login.start))
        for _ in 0..<maximumPages {
            switch try await browser.go(navigation) {
            case .finished(let url): return WebLoginOutcome(url: url, cookies: browser.cookies)
            case .arrived(let page): navigation = try await navigator.next(after: page)
            }
        }
        throw WebLoginError(
            .pageFailed, "The \(login) has led over \(maximumPages) pages without an end. Is its configuration right?")
    }

    private func named(_ login: WebLogin, _ context: ConversationContext) -> Set<Origin> {
        var origins = namedOrigins.union(answers?.origins ?? [])
        origins.insert(context.target.origin)
        // A one-time-code form is where a server redirects to; the others start where a configuration says.
        if login.purpose != .otp { origins.insert(login.start.origin) }
        return origins
    }
}
