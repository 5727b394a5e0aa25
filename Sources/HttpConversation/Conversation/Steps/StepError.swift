/// The reason why the engine ended a step, or did not start it.
public enum StepError: Error, Hashable, Sendable {
    /// The step exceeded the time limit.
    case timedOut(Duration)
    /// A server asked again for a step that had just succeeded for this conversation.
    case challengedAgain
}
