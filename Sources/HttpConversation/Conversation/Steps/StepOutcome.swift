/// The result of a step that a redirect or response filter asked for.
public enum StepOutcome: Sendable {
    /// The conversation continues as the verdict said.
    case done
    /// Another step has to run first; its result counts.
    case next(ConversationStep<StepOutcome>)
    /// The step could do nothing: the response goes to the next filter, and finally to the caller.
    case declined
}

extension ConversationStep where Outcome == StepOutcome {
    /// The step in a form for a challenge filter: the exchange is repeated after it.
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
