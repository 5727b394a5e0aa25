import HttpConversation

/// The web logins of one filter: one for all conversations of a session that need the same (design.md §3.7 to §3.9).
struct WebLoginFlow: Sendable {
    let purpose: WebLogin.Purpose
    let web: WebLoginEnvironment
    /// Logins of filters with other providers are other logins.
    private let name: String

    init(_ purpose: WebLogin.Purpose, web: WebLoginEnvironment) {
        self.purpose = purpose
        self.web = web
        name = "\(purpose) \(FlowIdentity())"
    }

    /// What makes two logins the same.
    ///
    /// - Parameters:
    ///   - origin: for whom the login is
    ///   - page: where it is done
    func key(for origin: Origin, page: String) -> FlightBoard.Key {
        let method = AuthenticationMethod(purpose.description)
        return FlightBoard.Key(
            flow: name, space: ProtectionSpace(origin: origin, method: method, realm: page), round: 0)
    }

    // MARK: Before an exchange

    /// Whether there may be a login to wait for. Costs next to nothing where there is none.
    func mayHaveToWait(in context: ConversationContext) -> Bool {
        !context.session.flights.isIdle && !WebLoginScope.isInside
    }

    /// Lets logins that are running end first: what is sent meanwhile would only be challenged, too.
    ///
    /// Where one fails the request is sent all the same: it may need no login.
    func waitForLogins(
        in context: ConversationContext, where matches: @Sendable (FlightBoard.Key) -> Bool
    ) async throws {
        let flights = context.session.flights
        for key in flights.running(where: { $0.flow == name && matches($0) }) {
            let stamp = context.session.epoch.current
            do {
                guard let epoch = try await flights.joinIfRunning(key, as: UInt64.self) else { continue }
                update(key, in: context) { $0.succeededAt = epoch }
            } catch {
                try Task.checkCancellation()
                // A challenge that comes in spite of it gets that failure, not a login of its own.
                update(key, in: context) { $0.failedAfter = stamp }
            }
        }
    }

    // MARK: After a challenge

    /// Sees to a login that is younger than the challenge. Afterwards the conversation is to be restarted.
    ///
    /// - Parameter show: performs the login, with the strategy of its kind
    /// - Throws: ``ConversationError``, or `CancellationError`
    func logIn(
        _ key: FlightBoard.Key, after challenge: WebLoginChallenge, in context: ConversationContext,
        _ show: @escaping @Sendable () async throws -> (login: WebLogin, outcome: WebLoginOutcome)
    ) async throws {
        let known = progress(key, in: context)
        if let epoch = known.succeededAt, challenge.sentUnder >= epoch {
            throw failure(challengedAgain(key, challenge, in: context), challenge.target)
        }
        await challenge.finish()
        let session = context.session
        let stamp = min(known.failedAfter ?? .max, challenge.sentUnder)
        if !session.flights.knows(key, after: stamp), session.cookies.lastHandOver(for: challenge.target) > stamp {
            // Another login has changed what would be sent, such as a second factor that renewed the session.
            return
        }
        do {
            let epoch = try await session.flights.join(key, sentUnder: stamp) {
                try await WebLoginScope.$isInside.withValue(true) { try await perform(show, in: context) }
            }
            update(key, in: context) { $0 = WebLoginProgress(succeededAt: epoch) }
        } catch { throw failure(error, challenge.target) }
    }

    /// - Returns: the epoch from which on the login's cookies are sent
    private func perform(
        _ show: @Sendable () async throws -> (login: WebLogin, outcome: WebLoginOutcome),
        in context: ConversationContext
    ) async throws -> UInt64 {
        do {
            let (login, outcome) = try await show()
            guard login.isFinish(outcome.url.value) else {
                throw WebLoginError(.strategyFailed, "The web strategy returned before the \(login) was done.")
            }
            return context.session.cookies.handOver(
                login.cookiesToKeep(of: outcome.cookies), advancing: context.session.epoch)
        } catch {
            try Task.checkCancellation()
            throw WebLoginError.wrapping(error)
        }
    }

    // MARK: Errors

    private func challengedAgain(
        _ key: FlightBoard.Key, _ challenge: WebLoginChallenge, in context: ConversationContext
    ) -> WebLoginError {
        let wantsAgain = "\(challenge.target.origin) wants a \(purpose) login again right after one."
        guard context.session.cookies.lastHandOver(for: challenge.target) > 0 else {
            return WebLoginError(
                .challengedAgain,
                """
                \(wantsAgain) No cookie of the login would be sent there: is the login at another host or scheme than \
                the resource (it was for \(key.space.origin)), or are its cookies Secure, or limited to another path or \
                domain?
                """)
        }
        return WebLoginError(
            .challengedAgain,
            """
            \(wantsAgain) The cookies of the login were sent: is the person authorised for this resource, is the login \
            for the same service (it was for \(key.space.origin)), is the session cookie limited to another path, and \
            do the clocks of the servers agree?
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

    // MARK: What a conversation remembers

    private func progress(_ key: FlightBoard.Key, in context: ConversationContext) -> WebLoginProgress {
        context[WebLoginProgressKey.self]?[key] ?? WebLoginProgress()
    }

    private func update(
        _ key: FlightBoard.Key, in context: ConversationContext, _ change: (inout WebLoginProgress) -> Void
    ) {
        context.update(WebLoginProgressKey.self, default: [:]) { change(&$0[key, default: WebLoginProgress()]) }
    }
}

/// What a conversation knows of a login.
struct WebLoginProgress: Sendable {
    /// The epoch since which the cookies of a login are sent, where this conversation had one.
    var succeededAt: UInt64?
    /// The stamp before a login that failed while this conversation waited.
    var failedAfter: UInt64?
}

/// Where ``WebLoginProgress`` is kept.
enum WebLoginProgressKey: ConversationContextKey {
    typealias Value = [FlightBoard.Key: WebLoginProgress]
}

/// Marks the work of a web login: a conversation that it has of its own does not wait for the login it is part of.
enum WebLoginScope {
    @TaskLocal static var isInside = false
}
