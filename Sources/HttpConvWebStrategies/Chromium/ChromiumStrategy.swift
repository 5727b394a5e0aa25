#if os(Linux)
public import HttpConvAuthFlows
import HttpConvConcurrency
import HttpConvPlatform
public import HttpConversation

/// Logins of all kinds in a browser of the Chromium family, with or without a window.
///
/// Each login gets a browser with a temporary profile, driven over its DevTools pipe. The person's own browser is
/// neither read nor changed, and nothing remains. The session's cookies are copied in and back by security rule S17.
/// The conversation's providers of user names and passwords answer a 401 in the browser. The browser has no client
/// certificate, so the conversation sends the requests to servers that its providers of client certificates serve. The
/// browser uses the conversation's proxies with their passwords; it cannot use a SOCKS proxy with a password.
///
/// The browser cannot apply settings that decide which servers are trusted or reached
/// (``/HttpConversation/ConnectionPolicy``: pinned keys, named authorities, given addresses, sockets). So the
/// conversation sends the requests to those servers, and the browser cannot reach them by itself. A page cannot load
/// anything from another such server.
///
/// Only the login's own page ends the login. Windows that the page opens are shown and watched, but reaching the finish
/// URL there does not end it.
public struct ChromiumStrategy: WebLoginStrategy {
    /// The options for running the browser.
    public struct Options: Sendable {
        /// A program's name or absolute path; nil: the first known browser on the `PATH`.
        public var program: String?
        /// Whether the browser runs without a window, for logins that need no person.
        public var isHeadless = false
        /// Certificates, as PEM text, of authorities that are trusted in addition to the system's. Needs `certutil`
        /// (Debian: libnss3-tools).
        public var authorityPEM: String?
        /// The time limit for a login; nil:
        /// ``/HttpConversation/HttpConversationManager/Configuration/interactionTimeout``.
        public var timeLimit: Duration?
        /// Answers for the forms of the login's pages. Without a window, a field without an answer fails the login; in
        /// a window, the person fills in the rest.
        public var answers: FormAnswers?
        /// Asks the person after a login in a window, elsewhere than on a page, whether the session at an identity
        /// provider that the ``/HttpConvAuthFlows/SingleSignOnPolicy`` does not name is kept for later logins (security
        /// rule S33). Nil: it is not kept. Without a window nobody is asked.
        public var confirmsSession: (@Sendable (Origin) async throws -> Bool)?
        /// The timeout for a command while the browser starts.
        var answerLimit = Duration.seconds(60)
        /// The timeout for later health checks, after which the browser counts as hung.
        var healthTimeout = Duration.seconds(20)
        /// The time for which a window says that the login is over.
        var closingTime = Duration.seconds(1)
        /// The time that a page may stay unchanged without a window.
        var stallLimit = Duration.seconds(15)
        /// The time in which the resource has to send something, else the login is done: a challenge comes at once. It is
        /// shorter than the time after which the conversation gives up a request that it sends for the browser.
        var silenceLimit = Duration.seconds(50)
        /// The environment that the browser's is derived from.
        var environment = ProcessInfo.processInfo.environment

        /// Creates the defaults: a window, the first browser found, the system's authorities.
        public init() {}
    }

    private let options: Options

    /// Creates a strategy that runs the browser with these options.
    public init(_ options: Options = Options()) { self.options = options }

    /// Whether there is a browser, and a display if it needs one.
    public var isAvailable: Bool {
        (try? BrowserFinder().find(options.program)) != nil
            && (options.isHeadless || BrowserEnvironment.hasDisplay(options.environment))
    }

    public func perform(_ login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome {
        let environment = options.environment
        let program = try BrowserFinder().find(options.program)
        guard options.isHeadless || BrowserEnvironment.hasDisplay(environment) else {
            throw WebLoginError(
                .noWindow, "There is no display for the browser's window: run it headless, or log in elsewhere.")
        }
        let kept = KeptConnections(context.connectionPolicy)
        let browser = try await BrowserProcess.start(
            program, isHeadless: options.isHeadless, authorityPEM: kept.isEverything ? nil : options.authorityPEM,
            proxy: try BrowserProxy(context.configuration.proxies, kept: kept), kept: kept, environment: environment)
        let result: Result<WebLoginOutcome, any Error>
        do {
            if !options.isHeadless { try await awaitWindow(browser.connection) }
            result = .success(try await follow(login, in: context, browser))
        } catch { result = .failure(error) }
        // A separate task: the browser must end even if this one is cancelled.
        let status = await Task { await browser.end() }.value
        do { return try await confirmed(result.get(), of: login) } catch let error as WebLoginError
            where [.browserFailed, .noWindow].contains(error.code)
        {
            guard let status, status != 0 else { throw error }
            throw WebLoginError(
                error.code, error.message + " \(program) ended with status \(status).", underlyingError: error)
        }
    }

    /// Asks about sessions that nobody has named. The window is closed, so that no page can imitate or answer it.
    private func confirmed(_ outcome: WebLoginOutcome, of login: WebLogin) async throws -> WebLoginOutcome {
        guard !options.isHeadless, let confirms = options.confirmsSession else { return outcome }
        var confirmed: Set<Origin> = []
        for origin in login.sessionsToConfirm(of: outcome) where try await confirms(origin) { confirmed.insert(origin) }
        return outcome.confirming(confirmed)
    }

    /// Waits until the browser answers, which it does only after it has reached the display.
    private func awaitWindow(_ connection: DevToolsConnection) async throws {
        do { try await waitForStart(connection) } catch let error as WebLoginError
            where error.code == .browserFailed
        {
            throw WebLoginError(
                .noWindow, "The browser could not open a window: can the display be reached?", underlyingError: error)
        }
    }

    private func waitForStart(_ connection: DevToolsConnection) async throws {
        try await Waiting.during("for the browser to start", atMost: options.answerLimit) {
            _ = try await connection.call("Browser.getVersion", within: options.answerLimit)
        }
    }

    /// Waits for the first of three ends: the login, its time limit, or a browser that no longer answers.
    /// After a login in a window, shows for a moment that it is done.
    func follow(
        _ login: WebLogin, in context: ConversationContext, _ browser: BrowserProcess
    ) async throws -> WebLoginOutcome {
        let arrival = FirstAnswer<ChromiumLogin.End>()
        let limit = options.timeLimit ?? context.configuration.interactionTimeout
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            defer { tasks.cancelAll() }
            tasks.addTask { [options] in
                await ChromiumLogin(
                    login, in: context, options: options, connection: browser.connection, arrival: arrival
                ).run()
            }
            tasks.addTask { await watch(browser.connection, arrival) }
            if let limit {
                tasks.addTask {
                    guard (try? await Task.sleep(for: limit)) != nil else { return }
                    arrival.fail(
                        WebLoginError(.timedOut, "Nobody finished the \(login) within \(limit): try again."))
                }
            }
            let end = try await arrival.value()
            if !options.isHeadless, let page = end.page {
                tasks.addTask { await showFinishedPage(on: page, browser.connection) }
                // A login that is done does not fail because of its last page. The other tasks end with the browser.
                _ = try? await tasks.next()
            }
            return end.outcome
        }
    }

    /// Shows in the window that the login is done.
    private func showFinishedPage(on page: ChromiumLogin.Page, _ connection: DevToolsConnection) async {
        _ = try? await connection.call(
            "Page.navigate", ["url": .string("about:blank")], in: page.session, within: options.answerLimit)
        connection.send(
            "Page.setDocumentContent",
            ["frameId": .string(page.target), "html": .string(FinishedPage.closing.html)], in: page.session)
        try? await Task.sleep(for: options.closingTime)
    }

    /// Checks from time to time that the browser answers: a hung browser keeps its pipe open.
    private func watch(_ connection: DevToolsConnection, _ arrival: FirstAnswer<ChromiumLogin.End>) async {
        do {
            try await waitForStart(connection)
            while true {
                try await Task.sleep(for: min(.seconds(5), options.healthTimeout))
                try await connection.call("Browser.getVersion", within: options.healthTimeout)
            }
        } catch is CancellationError { return } catch { arrival.fail(error) }
    }
}
#endif
