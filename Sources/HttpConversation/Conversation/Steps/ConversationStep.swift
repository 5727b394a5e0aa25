package import HttpConvConcurrency

/// Whether a request has to wait while a step runs. Called only then, with the context of the request's conversation.
public typealias StepCoverage = @Sendable (ConversationRequest, ConversationContext) async -> Bool

/// Work that must happen before a conversation can continue: a login, a token, a fetch. A filter recognises the need,
/// and the engine runs the step.
///
/// The engine checks that the request can be sent again, and ends the exchange, so that waiting holds no connection. It
/// runs the step once for all conversations of the session that need it, and then they all continue or fail. Filters
/// need not care.
/// ```swift
/// return .restart(reason: "logged in", after: ConversationStep("portal", covers: { request, _ in request.target.origin == portal }) { context in
///     try await logIn(in: context)
/// })
/// ```
public struct ConversationStep<Outcome: Sendable>: Sendable {
    let key: SendableKey
    let policy: StepPolicy
    let covers: StepCoverage?
    let run: @Sendable (ConversationContext) async throws -> any Sendable
    let convert: @Sendable (any Sendable) throws -> Outcome
    var explain: (@Sendable (any Error) -> any Error)?

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - key: identifies the step: conversations of one session share a run with an equal key
    ///   - covers: the requests that wait while the step runs, because they would trigger the same step; nil: none
    ///   - policy: whether a person is asked, whether the run survives its waiters, and what is remembered
    ///   - perform: the work; gets the context of the first conversation that asked
    public init(
        _ key: some Hashable & Sendable, covers: StepCoverage? = nil, policy: StepPolicy = .login,
        perform: @escaping @Sendable (ConversationContext) async throws -> Outcome
    ) {
        self.init(key: SendableKey(key, for: Outcome.self), covers: covers, policy: policy, perform: perform)
    }

    /// - Parameter key: a key for this type of outcome. One that is kept for many steps is compared faster
    package init(
        key: SendableKey, covers: StepCoverage?, policy: StepPolicy,
        perform: @escaping @Sendable (ConversationContext) async throws -> Outcome
    ) {
        self.key = key
        self.policy = policy
        self.covers = covers
        run = { try await perform($0) }
        convert = { outcome in
            guard let outcome = outcome as? Outcome else {
                throw ConversationError(.internalInconsistency, "Two steps have one key and different outcomes.")
            }
            return outcome
        }
    }

    private init(_ other: ConversationStep<some Any>, convert: @escaping @Sendable (any Sendable) throws -> Outcome) {
        key = other.key
        policy = other.policy
        covers = other.covers
        run = other.run
        explain = other.explain
        self.convert = convert
    }

    /// The same step with another outcome for this conversation, such as a credential for its own challenge.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Outcome) throws -> Other
    ) -> ConversationStep<Other> {
        ConversationStep<Other>(self) { [convert] in try transform(try convert($0)) }
    }

    /// The same step with explained failures, including those of the steps that it leads to and ``StepError``. If
    /// failures were explained before, `explain` gets the explained ones.
    public func mapFailure(_ explain: @escaping @Sendable (any Error) -> any Error) -> ConversationStep {
        var step = self
        step.explain = { [inner = self.explain] error in explain(inner?(error) ?? error) }
        return step
    }

    /// Applies this step's explanation of failures to a step that it led to.
    func leading<Other>(to next: ConversationStep<Other>) -> ConversationStep<Other> {
        explain.map { next.mapFailure($0) } ?? next
    }
}

extension ConversationStep where Outcome == StepOutcome {
    /// Creates a step without a result. A closure of several statements has to return ``StepOutcome/done``; otherwise
    /// the compiler cannot choose the initialiser.
    public init(
        _ key: some Hashable & Sendable, covers: StepCoverage? = nil, policy: StepPolicy = .login,
        perform: @escaping @Sendable (ConversationContext) async throws -> Void
    ) {
        self.init(key, covers: covers, policy: policy) { context in
            try await perform(context)
            return .done
        }
    }
}
