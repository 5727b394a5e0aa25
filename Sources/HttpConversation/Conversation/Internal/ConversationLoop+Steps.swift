import HttpConvConcurrency

extension ConversationLoop {
    /// Ends the exchange, then runs what a verdict asked for: once for all that ask for the same.
    ///
    /// A demand that is older than the step's last success, or than a login that changed the cookies, goes on without
    /// it; one that comes right after the success is a failure.
    mutating func perform(
        _ step: ConversationStep<StepOutcome>, after answered: AnsweredExchange
    ) async throws(ConversationError) -> ConversationStateMachine.Event {
        await finishExchange(answered)
        var step = step
        do {
            while true {
                switch try await run(step, after: answered) {
                case .done: return .performed(.done)
                case .next(let next): step = next
                case .declined:
                    steps.declined(step.key)
                    return .performed(.declined)
                }
            }
        } catch {
            throw Self.stepFailed(error, answered.target)
        }
    }

    private mutating func run(
        _ step: ConversationStep<StepOutcome>, after answered: AnsweredExchange
    ) async throws -> StepOutcome {
        let sentUnder = answered.exchange.cookieEpoch
        let stamp = steps.stamp(for: step.key, sentUnder: sentUnder)
        if step.policy.isLogin {
            if steps.isDemandedAgain(step.key, sentUnder: sentUnder) {
                throw step.explain?(StepFailure.challengedAgain) ?? StepFailure.challengedAgain
            }
            if hasNewCookies(step, answered.target, stamp) { return .done }
        }
        let (outcome, epoch) = try await context.perform(step, sentUnder: stamp)
        steps.succeeded(step.key, at: epoch)
        return outcome
    }

    /// Another login has changed what would be sent, such as a second factor that renewed the session.
    private func hasNewCookies(
        _ step: ConversationStep<StepOutcome>, _ target: TargetURL, _ stamp: UInt64
    ) -> Bool {
        let session = context.session
        return !session.steps.knows(step.key, after: stamp) && session.cookies.lastHandOver(for: target) > stamp
    }

    /// Whether a verdict counts: not in a request that is part of the very step, nor where it could do nothing before.
    func isAllowed(_ step: ConversationStep<StepOutcome>?) -> Bool {
        guard let step else { return true }
        if step.policy.isLogin, ActiveSteps.isInLogin { return false }
        return isAllowed(step.key)
    }

    func isAllowed(_ key: SendableKey) -> Bool { !ActiveSteps.keys.contains(key) && !steps.wasDeclined(key) }

    /// Lets steps that run and cover the request end first: what is sent meanwhile would only ask for the same.
    ///
    /// Where one fails the request is sent all the same: it may not need it. A demand that comes in spite of it gets
    /// that failure.
    mutating func waitForSteps(covering request: ConversationRequest) async throws(ConversationError) {
        let session = context.session
        guard !ActiveSteps.isInLogin else { return }
        for key in await session.steps.running(covering: request, in: context) where !ActiveSteps.keys.contains(key) {
            let stamp = session.epoch.current
            do {
                guard let landing = try await session.steps.joinIfRunning(key) else { continue }
                steps.succeeded(key, at: landing.epoch)
            } catch {
                if Task.isCancelled { throw .cancelled }
                steps.failed(key, after: stamp)
            }
        }
    }

    static func stepFailed(_ error: any Error, _ target: TargetURL) -> ConversationError {
        switch error {
        case is CancellationError: .cancelled
        case StepFailure.timedOut(let limit):
            ConversationError(.timedOut, "Nobody finished within \(limit) what \(target.origin) asked for.")
        case StepFailure.challengedAgain:
            ConversationError(
                .authenticationFailed, "\(target.origin) asks for what was done for it a moment ago.",
                underlyingError: error)
        default:
            .wrapping(error, as: .authenticationFailed, "What \(target.origin) asked for failed.")
        }
    }
}
