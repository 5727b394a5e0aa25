import HTTPTypes
import HttpConvConcurrency
import HttpConversation

/// The web logins of one filter, as steps of the engine: conversations of a session that need the same login share it.
struct WebLoginFlow: Sendable {
    let purpose: WebLogin.Purpose
    let web: WebLoginEnvironment
    /// Separates the logins of filters with different providers.
    private let identity = FlowIdentity()

    init(_ purpose: WebLogin.Purpose, web: WebLoginEnvironment) {
        self.purpose = purpose
        self.web = web
    }

    /// The identity of a login.
    struct Key: Hashable, Sendable {
        fileprivate let flow: FlowIdentity
        /// The origin that the login is for.
        let origin: Origin
        /// The page of the login.
        let page: String

        /// The step's key in the engine, for tests that hold a login until all requests wait.
        var ofStep: SendableKey { SendableKey(self, for: StepOutcome.self) }
    }

    func key(for origin: Origin, page: String) -> Key { Key(flow: identity, origin: origin, page: page) }

    /// A login that the answer to an exchange asked for.
    ///
    /// - Parameters:
    ///   - target: the URL of the exchange
    ///   - covers: which requests wait while the login runs
    ///   - show: performs the login, by ``show(_:in:)``
    func step(
        _ key: Key, for target: TargetURL, in context: ConversationContext,
        covers: @escaping StepCoverage,
        _ show: @escaping @Sendable () async throws -> (login: WebLogin, outcome: WebLoginOutcome)
    ) -> ConversationStep<StepOutcome> {
        ConversationStep(
            key, covers: covers,
            // Only showing the page needs the screen: see WebLoginRunner.
            policy: StepPolicy(remembers: .outcomes, isLogin: true)
        ) { context in
            try await perform(show, in: context)
        }.mapFailure { error in
            failure(error is StepError ? challengedAgain(key, target, context) : error, target)
        }
    }

    private func perform(
        _ show: @Sendable () async throws -> (login: WebLogin, outcome: WebLoginOutcome),
        in context: ConversationContext
    ) async throws {
        do {
            let (login, outcome) = try await show()
            guard login.isDone(outcome) else {
                throw WebLoginError(.strategyFailed, "The web strategy returned before the \(login) was done.")
            }
            context.session.handOver(
                login.cookiesToKeep(of: outcome.cookies) + (login.trial?.newerCookies ?? []),
                from: login.cookieTargets)
        } catch {
            try Task.checkCancellation()
            throw WebLoginError.wrapping(error)
        }
    }

    /// Shows a login with the strategy for it.
    func show(
        _ login: WebLogin, in context: ConversationContext
    ) async throws -> (login: WebLogin, outcome: WebLoginOutcome) {
        guard let strategy = web.strategies.strategy(for: login) else { throw WebLoginError.noStrategy }
        let outcome = try await WebLoginRunner(context: context).show(
            login.purpose, at: login.start.origin, by: strategy
        ) { try await strategy.perform(login, in: context) }
        return (login, outcome)
    }

    /// A login that ends when the resource answers without a challenge.
    ///
    /// - Parameters:
    ///   - target: the URL of the exchange that was challenged
    ///   - start: the configured page to open first
    func login(
        to target: TargetURL, from start: TargetURL?, recognising challenge: some LoginChallenge,
        in context: ConversationContext
    ) -> WebLogin {
        let entry = entry(of: target, in: context)
        let pending = PendingRequest(at: entry, start: start, of: context)
        let trial = WebLoginTrial(
            of: pending.target, isAlwaysRedirected: challenge.isAlwaysRedirect,
            knowing: context.session.cookies.snapshot.cookies
        ) {
            try await pending.send(with: $0, unlessAt: $1, recognising: challenge, in: context)
        }
        let start = start ?? entry
        return WebLogin(purpose, start: start, cookieTargets: [entry, start], trial: trial)
    }

    /// Drops the cookies that a challenge set. The login that the challenge leads to opens the resource again, and gets
    /// its own. The cookies that they replaced come back: a login that fails leaves the session as it was.
    func dropCookies(of redirect: Redirect, in context: ConversationContext) {
        dropCookies(of: redirect.response, from: redirect.source, sent: redirect.sentCookies?.value, in: context)
    }

    /// The same for a challenge that is not a redirect.
    func dropCookies(of response: ReceivedResponse, in context: ConversationContext) {
        dropCookies(
            of: response.head, from: response.target, sent: response.request.headerFields[.cookie], in: context)
    }

    /// - Parameter sent: the `Cookie` field of the request that was challenged
    private func dropCookies(
        of challenge: HTTPResponse, from target: TargetURL, sent: String?, in context: ConversationContext
    ) {
        context.session.cookies.withdraw(
            setCookie: challenge.headerFields[values: .setCookie], from: target, sent: sent,
            own: context.callersFields[.cookie], suffixes: context.configuration.publicSuffixes)
    }

    // MARK: Redirects

    /// The first URL of each other server that a conversation was redirected to.
    private enum Entries: ConversationContextKey { typealias Value = [Origin: TargetURL] }

    /// Remembers a redirect to another server: the login there is for the URL that it leads to.
    func note(_ redirect: Redirect) {
        guard let destination = redirect.destination, destination.origin != redirect.source.origin else { return }
        redirect.context.update(Entries.self, default: [:]) { entries in
            if entries[destination.origin] == nil { entries[destination.origin] = destination }
        }
    }

    /// Whether a redirect has led the conversation to another server.
    func wasRedirectedElsewhere(_ context: ConversationContext) -> Bool { context[Entries.self] != nil }

    /// The URL at a server that the conversation is about: the caller's own, or the first one that a redirect led to.
    func entry(of target: TargetURL, in context: ConversationContext) -> TargetURL {
        if target.origin == context.target.origin { return context.target }
        return context[Entries.self]?[target.origin] ?? target
    }

    // MARK: Errors

    private func challengedAgain(
        _ key: Key, _ target: TargetURL, _ context: ConversationContext
    ) -> WebLoginError {
        let wantsAgain = "\(target.origin) wants a \(purpose) login again right after one."
        guard context.session.cookies.lastHandOver(for: target) > 0 else {
            return WebLoginError(
                .challengedAgain,
                """
                \(wantsAgain) No cookie of the login would be sent there: is the login at another host or scheme than \
                the resource (it was for \(key.origin)), or are its cookies Secure, or limited to another path or \
                domain?
                """)
        }
        return WebLoginError(
            .challengedAgain,
            """
            \(wantsAgain) The cookies of the login were sent: is the person authorised for this resource, is the login \
            for the same service (it was for \(key.origin)), is the session cookie limited to another path, and do the \
            clocks of the servers agree?
            """)
    }

    private func failure(_ error: any Error, _ target: TargetURL) -> any Error {
        guard let error = error as? WebLoginError else { return error }
        if error.code == .cancelled {
            return ConversationError(
                .cancelled, "The \(purpose) login for \(target.origin) was cancelled.", underlyingError: error)
        }
        return ConversationError(
            .authenticationFailed, "The \(purpose) login for \(target.origin) failed. \(error.description)",
            underlyingError: error)
    }
}

/// The environment of web logins of all kinds, apart from the network.
struct WebLoginEnvironment: Sendable {
    var strategies = WebStrategies.shared
    var schemes = CustomURLSchemeManagement.shared
    var opener: (any ExternalURLOpener)?
}
