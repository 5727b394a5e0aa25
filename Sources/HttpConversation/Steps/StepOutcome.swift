/// What came of a step that a redirect or response filter asked for.
public enum StepOutcome: Sendable {
    /// The conversation goes on as the verdict said.
    case done
    /// Something else has to happen, too: what comes of it counts.
    case next(ConversationStep<StepOutcome>)
    /// Nothing could be done: the response goes on to the next filter, and in the end to the caller.
    case declined
}

extension ConversationStep where Outcome == StepOutcome {
    /// The step as what has to happen before a challenge is answered: the exchange is repeated once it is done.
    public var beforeRetry: ConversationStep<ChallengeAnswer> {
        map { outcome in
            switch outcome {
            case .done: .retry
            case .next(let step): .after(step.beforeRetry)
            case .declined: .notHandled
            }
        }
    }
}

/// Why the engine ended a step, or did not begin it.
public enum StepFailure: Error, Hashable, Sendable {
    /// Nobody finished it within the time limit.
    case timedOut(Duration)
    /// A server asked for what this conversation had done right before.
    case challengedAgain
}
