import HttpConvConcurrency

/// Whether a request has to wait while a step runs; asked only then, with the context of the request's conversation.
public typealias StepCoverage = @Sendable (ConversationRequest, ConversationContext) async -> Bool

/// What has to happen before a conversation can go on: a login, a token, a fetch. Recognised by a filter, run by the
/// engine.
///
/// The engine looks whether the request can be sent again, ends the exchange, so that waiting holds no connection, runs
/// the step once for all conversations of the session that ask for the same, and goes on or fails with them. Nothing of
/// that is a filter's business.
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

    /// Describes a step.
    ///
    /// - Parameters:
    ///   - key: equal keys of one session share one run, whoever asks; it says whose login it is
    ///   - covers: requests that wait while the step runs, for they would only ask for the same; nil: none
    ///   - policy: whether a person is asked, whether it must land, and what is remembered
    ///   - perform: the work; given the context of the conversation that asked first
    public init(
        _ key: some Hashable & Sendable, covers: StepCoverage? = nil, policy: StepPolicy = .login,
        perform: @escaping @Sendable (ConversationContext) async throws -> Outcome
    ) {
        self.key = SendableKey(key, for: Outcome.self)
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

    /// The same step, whose outcome means something else to this conversation: a credential for its own challenge, say.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Outcome) throws -> Other
    ) -> ConversationStep<Other> {
        ConversationStep<Other>(self) { [convert] in try transform(try convert($0)) }
    }

    /// The same step, whose failures are said in the flow's own words, and those of the steps that it leads to.
    /// ``StepFailure`` is among them. Where it was said so before, those words are what is given to `explain`.
    public func mapFailure(_ explain: @escaping @Sendable (any Error) -> any Error) -> ConversationStep {
        var step = self
        step.explain = { [inner = self.explain] error in explain(inner?(error) ?? error) }
        return step
    }

    /// A step that this one led to: one demand, so its failures are this one's, too.
    func leading<Other>(to next: ConversationStep<Other>) -> ConversationStep<Other> {
        explain.map { next.mapFailure($0) } ?? next
    }
}

extension ConversationStep where Outcome == StepOutcome {
    /// A step that has no more to say than that it is done. A closure of several statements says so by
    /// ``StepOutcome/done``: the compiler would not know which step it describes.
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
