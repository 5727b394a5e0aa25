/// How a ``ConversationStep`` runs and what is remembered of it.
public struct StepPolicy: Hashable, Sendable {
    /// What exchanges that were on the wire when a step ended learn of it.
    public enum Memory: Hashable, Sendable {
        /// Nothing: whoever needs the step runs it.
        case nothing
        /// Its failure, so that nobody tries again what has just failed; what it brought about is found elsewhere.
        case failures
        /// Its outcome, whichever.
        case outcomes
    }

    /// Whether a person is asked: the step waits for the screen, and may take
    /// ``HttpConversationManager/Configuration/interactionTimeout`` from when the screen is free.
    public var isInteractive: Bool
    /// Whether the step goes on when nobody waits for it any more, because what it has sent cannot be called off.
    public var mustLand: Bool
    /// What is remembered of it.
    public var remembers: Memory
    /// Whether it is a login: the same demand right after a success is an error, cookies that another login brought
    /// meanwhile are tried first, and what is sent as part of a login neither waits for one nor begins one.
    public var isLogin: Bool

    /// Describes a policy.
    public init(
        isInteractive: Bool = false, mustLand: Bool = false, remembers: Memory = .nothing, isLogin: Bool = false
    ) {
        self.isInteractive = isInteractive
        self.mustLand = mustLand
        self.remembers = remembers
        self.isLogin = isLogin
    }

    /// A person logs in: one screen, one outcome for all.
    public static let login = StepPolicy(isInteractive: true, remembers: .outcomes, isLogin: true)
    /// Something is fetched, and nobody is asked.
    public static let fetch = StepPolicy()
}
