/// How a ``ConversationStep`` runs, and what is remembered of it.
public struct StepPolicy: Hashable, Sendable {
    /// The information for exchanges that were in flight when a step ended.
    public enum Memory: Hashable, Sendable {
        /// Nothing: a conversation that needs the step runs it.
        case nothing
        /// Its failure, so that the same failing step is not repeated; its result is stored elsewhere.
        case failures
        /// Its outcome, success or failure.
        case outcomes
    }

    /// Whether a person is asked: the step waits for the screen. Its time limit,
    /// ``HttpConversationManager/Configuration/interactionTimeout``, starts when the screen is free.
    public var isInteractive: Bool
    /// Whether the step continues without waiters, because its request cannot be taken back.
    public var runsToCompletion: Bool
    /// The part of the outcome that is remembered.
    public var remembers: Memory
    /// Whether it is a login. Then the same demand right after a success is an error; cookies from another login
    /// meanwhile are tried first; and requests that are part of the login neither wait for a login nor start one.
    public var isLogin: Bool

    /// Creates a policy.
    public init(
        isInteractive: Bool = false, runsToCompletion: Bool = false, remembers: Memory = .nothing, isLogin: Bool = false
    ) {
        self.isInteractive = isInteractive
        self.runsToCompletion = runsToCompletion
        self.remembers = remembers
        self.isLogin = isLogin
    }

    /// A person logs in: one screen, and one outcome for all.
    public static let login = StepPolicy(isInteractive: true, remembers: .outcomes, isLogin: true)
    /// A fetch, without asking a person.
    public static let fetch = StepPolicy()
}
