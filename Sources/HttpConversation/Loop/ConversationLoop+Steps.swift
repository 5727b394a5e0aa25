import HttpConvConcurrency

extension ConversationLoop {
    /// Ends the exchange, then runs the step that a verdict asked for, shared with all conversations that need the same
    /// one.
    ///
    /// If the step, or a login that changed the cookies, has succeeded since the exchange was sent, the conversation
    /// continues without it. If the same demand comes right after the step's success, that is a failure.
    mutating func perform(
        _ step: ConversationStep<StepOutcome>, after answered: AnsweredExchange
    ) async throws -> ConversationStateMachine.Event {
        await finishExchange(answered)
        var chain = StepChain(target: answered.target, sentUnder: answered.exchange.cookieEpoch)
        var step = step
        do {
            while true {
                switch try await run(step, in: &chain) ?? .done {
                case .done:
                    steps.succeeded(chain)
                    if step.policy.isLogin { hasLoggedIn = true }
                    return .performed(.done)
                case .next(let next) where isAllowed(next): step = step.leading(to: next)
                case .next, .declined:
                    steps.declined(chain)
                    return .performed(.declined)
                }
            }
        } catch {
            var failure = Self.stepFailed(error, answered.target)
            if machine.hasLeftUnsafe, steps.isDemandedAgain(step.key, sentUnder: chain.sentUnder) {
                failure.message += Self.isNotSentAgain
            }
            throw failure
        }
    }

    private static let isNotSentAgain = """
         The modifying request before it was answered with a redirect. It is not sent again: the server may have processed \
        it. Send a GET to the same service first, so that the login is done before.
        """

    /// Runs the step that a challenge filter asked for. Its result is the answer.
    mutating func perform(
        _ step: ConversationStep<ChallengeAnswer>, for challenge: AuthenticationChallenge
    ) async throws -> ChallengeAnswer {
        var chain = StepChain(target: challenge.target, sentUnder: challenge.sentUnder)
        var step = step
        while true {
            guard isAllowed(step) else { return .notHandled }
            let answer = try await run(step, in: &chain, of: challenge.session) ?? .retry
            guard case .after(let next) = answer else {
                // A retry completes the step. A credential still needs the server's verdict.
                if case .retry = answer { steps.succeeded(chain) }
                return answer
            }
            step = step.leading(to: next)
        }
    }

    /// - Returns: nil if another login has made this one unnecessary
    private func run<Outcome>(
        _ step: ConversationStep<Outcome>, in chain: inout StepChain, of session: HttpSession? = nil
    ) async throws -> Outcome? {
        let stamp = steps.stamp(for: step.key, sentUnder: chain.sentUnder)
        if step.policy.isLogin {
            if steps.isDemandedAgain(step.key, sentUnder: chain.sentUnder) {
                throw step.explain?(StepError.challengedAgain) ?? StepError.challengedAgain
            }
            if hasNewCookies(step, chain.target, stamp) { return nil }
        }
        guard chain.keys.count < max(1, configuration.maximumAttempts) else {
            throw ConversationError(
                .tooManyAttempts,
                "\(chain.target.origin) asked for more than \(chain.keys.count) steps in a row (maximumAttempts)."
            )
        }
        let (outcome, epoch) = try await context.perform(step, sentUnder: stamp, of: session)
        chain.ended(step.key, at: epoch)
        return outcome
    }

    /// Whether another login has changed the cookies to send, such as a second factor that renewed the session.
    private func hasNewCookies(
        _ step: ConversationStep<some Any>, _ target: TargetURL, _ stamp: UInt64
    ) -> Bool {
        let session = context.session
        return !session.steps.knows(step.key, after: stamp) && session.cookies.lastHandOver(for: target) > stamp
    }

    /// Whether a verdict counts: not in a request that is part of the same step, and not after the step was declined.
    func isAllowed(_ step: ConversationStep<some Any>) -> Bool {
        if step.policy.isLogin, ActiveSteps.isInLogin { return false }
        return !ActiveSteps.contains(step.key) && !steps.wasDeclined(step.key)
    }

    /// Waits for running steps that cover the request: without their result it would trigger the same step.
    ///
    /// If a step fails, or asks for another one, the request is sent anyway, since it may not need the step. If the
    /// server then demands the step, the conversation gets the stored outcome.
    mutating func waitForSteps(covering request: ConversationRequest) async throws {
        let session = context.session
        guard !ActiveSteps.isInLogin else { return }
        for key in await session.steps.running(covering: request, in: context) where !ActiveSteps.contains(key) {
            let stamp = session.epoch.current
            do {
                let record = try await Waiting.during(ConversationContext.waits(for: request.target)) {
                    try await context.lendingScreen(to: key, of: session) {
                        try await session.steps.joinIfRunning(key)?.outcome()
                    }
                }
                guard let record else { continue }
                if record.isDone {
                    steps.succeeded(key, at: record.epoch)
                } else {
                    steps.waited(for: key, since: stamp)
                }
            } catch {
                if Task.isCancelled { throw ConversationError.cancelled }
                steps.waited(for: key, since: stamp)
            }
        }
    }

    static func stepFailed(_ error: any Error, _ target: TargetURL) -> ConversationError {
        switch error {
        case is CancellationError: .cancelled
        case StepError.timedOut(let limit):
            ConversationError(
                .timedOut,
                "The login that \(target.origin) asked for was not finished within \(limit) (interactionTimeout).")
        case StepError.challengedAgain:
            ConversationError(
                .authenticationFailed, "\(target.origin) demands the same login again right after it succeeded.",
                underlyingError: error)
        default:
            .wrapping(error, as: .authenticationFailed, "The login that \(target.origin) asked for failed.")
        }
    }
}
