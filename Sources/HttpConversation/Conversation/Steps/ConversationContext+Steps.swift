package import HttpConvConcurrency
import Synchronization

extension ConversationContext {
    /// Runs a step without a verdict: ahead of a request, or as part of another step. Shared like any other.
    ///
    /// - Throws: the step's error; ``StepError``; `CancellationError` if the task is cancelled
    public func perform<Outcome>(_ step: ConversationStep<Outcome>) async throws -> Outcome {
        try await perform(step, sentUnder: session.epoch.current).outcome
    }

    /// - Parameters:
    ///   - stamp: the epoch of the exchange whose response asked for it
    ///   - other: the session of the step; nil: the conversation's
    func perform<Outcome>(
        _ step: ConversationStep<Outcome>, sentUnder stamp: UInt64, of other: HttpSession? = nil
    ) async throws -> (outcome: Outcome, epoch: UInt64) {
        let session = other ?? session
        do {
            guard !ActiveSteps.contains(step.key) else {
                throw ConversationError(.internalInconsistency, "A step asks for itself.")
            }
            let isShared = session.steps.isRunning(step.key)
            let record = try await sharing(isShared, step.key, of: session) {
                try await session.steps.join(step, sentUnder: stamp) {
                    try await ActiveSteps.run(step) {
                        guard step.policy.isInteractive else { return try await step.run(self) }
                        return try await self.interact { try await step.run(self) }
                    }
                }
            }
            return (try step.convert(record.outcome), record.epoch)
        } catch {
            // A cancelled caller gets no explanation.
            if Task.isCancelled, error is CancellationError { throw error }
            throw step.explain?(error) ?? error
        }
    }

    /// Joins a step that another conversation runs, at a fraction of the cost of ``perform(_:)``.
    ///
    /// - Returns: nil if the step does not run, or if only ``perform(_:)`` may wait for it, which reports waits, lends
    ///   the screen, and refuses a step that asks for itself
    package func joinIfRunning(_ key: SendableKey) -> SessionSteps.Place? {
        guard Waiting.listener == nil, !configuration.multiplexer.isInside, !ActiveSteps.contains(key) else {
            return nil
        }
        return session.steps.joinIfRunning(key)
    }

    /// Asks a person something: waits for the screen, then for the answer, within the interaction timeout, which starts
    /// when the screen is free. A question within an interaction uses that interaction's screen.
    ///
    /// For a step that is interactive only in part; see ``StepPolicy/isInteractive`` for others.
    ///
    /// - Throws: the interaction's error; ``StepError/timedOut(_:)``; `CancellationError` if the task is cancelled
    public func interact<Answer: Sendable>(
        _ interaction: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        if configuration.multiplexer.isInside { return try await interaction() }
        let owners = session === session.forProxies ? [session] : [session, session.forProxies]
        let work = Set(ActiveSteps.keys.flatMap { key in owners.map { Self.screenWork(key, $0) } })
            .union(ActiveSteps.questions)
        return try await configuration.multiplexer.perform(InteractionTicket(), asPartOf: work) { [configuration] in
            try await Self.limited(configuration.interactionTimeout, configuration.clock, interaction)
        }
    }

    /// Whether this task is part of a step that is a login, such as a conversation that loads its pages.
    public var isPartOfLogin: Bool { ActiveSteps.isInLogin }

    /// Waits for a step; if another conversation runs it, a long wait is reported to observers.
    private func sharing<Value>(
        _ isShared: Bool, _ key: SendableKey, of session: HttpSession, _ wait: () async throws -> Value
    ) async throws -> Value {
        guard isShared else { return try await lendingScreen(to: key, of: session, wait) }
        return try await Waiting.during(Self.waits(for: self.target)) {
            try await lendingScreen(to: key, of: session, wait)
        }
    }

    /// The reason shown while a conversation waits for another one's step.
    static func waits(for target: TargetURL) -> String {
        "for a login or other work that another request has begun for \(target.origin)"
    }

    /// Waits for a step of the session, which may use this task's screen meanwhile.
    func lendingScreen<Value>(
        to step: SendableKey, of session: HttpSession, _ wait: () async throws -> Value
    ) async throws -> Value {
        try await configuration.multiplexer.lendingScreen(to: Self.screenWork(step, session), wait)
    }

    /// A screen's key for a step of a session: sessions may share a screen, and have equal step keys.
    private static func screenWork(_ step: SendableKey, _ session: HttpSession) -> SendableKey {
        SendableKey(StepOfSession(session: ObjectIdentifier(session), step: step), for: Void.self)
    }

    static func limited<Answer: Sendable>(
        _ limit: Duration?, _ clock: any Clock<Duration> & Sendable,
        _ interaction: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        guard let limit else { return try await interaction() }
        let result = await Deadline.race(limit, clock: clock) { () -> Result<Answer, any Error> in
            do { return .success(try await interaction()) } catch { return .failure(error) }
        }
        try Task.checkCancellation()
        guard let result else { throw StepError.timedOut(limit) }
        return try result.get()
    }
}

private struct StepOfSession: Hashable, Sendable {
    let session: ObjectIdentifier
    let step: SendableKey
}

/// A unique key for the screen's queue: the interaction is shared by its step already.
private struct InteractionTicket: Hashable, Sendable {
    private static let count = Atomic<UInt64>(0)
    private let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
}
