package import HttpConvConcurrency
import Synchronization

/// The running steps of one session, and the outcomes of the last ones.
///
/// The outcome of a step is for its waiters, and also for exchanges that were in flight when it ended. Such an exchange
/// asks with the epoch under which it was sent, and gets an outcome of a later epoch.
package final class SessionSteps: Sendable {
    /// The result of a run, with its epoch. A class, because each waiter gets a copy.
    package final class StepOutcomeRecord: Sendable {
        package let outcome: any Sendable
        let epoch: UInt64

        init(outcome: any Sendable, epoch: UInt64) {
            self.outcome = outcome
            self.epoch = epoch
        }

        /// Whether conversations that only waited can continue: nothing else has to happen, and there is no result to
        /// use.
        var isDone: Bool {
            switch outcome {
            case let outcome as StepOutcome: if case .done = outcome { true } else { false }
            case let answer as ChallengeAnswer: if case .retry = answer { true } else { false }
            default: true
            }
        }
    }

    /// The place of a waiter for a running step. The outcome is nil if the run was unnecessary: another one ended
    /// right before it, and its outcome is stored.
    package typealias Place = SharedRun<StepOutcomeRecord?>.Place

    private struct Ended {
        let epoch: UInt64
        let result: Result<any Sendable, any Error>
    }

    /// The requests that wait for a run. An object, because two runs with one key may overlap: a cancelled one still
    /// unwinds.
    private final class Coverage: Sendable {
        let key: SendableKey
        let covers: StepCoverage

        init(_ key: SendableKey, _ covers: @escaping StepCoverage) {
            self.key = key
            self.covers = covers
        }
    }

    private let epoch: SessionEpoch
    private let flights = SingleFlight<SendableKey, StepOutcomeRecord?>()
    private let coverage = Mutex<[Coverage]>([])
    /// The number of runs that requests may have to wait for. While it is 0, a request costs one atomic load.
    private let covering = Atomic<Int>(0)
    private let ended = Mutex<[SendableKey: Ended]>([:])
    /// The epoch of the last removal of outcomes.
    private let removal = Atomic<UInt64>(0)
    private static let maximumEnded = 256

    init(epoch: SessionEpoch) { self.epoch = epoch }

    /// Runs a step, or joins its present run, or returns its outcome if that is later than `stamp`.
    func join<Outcome>(
        _ step: ConversationStep<Outcome>, sentUnder stamp: UInt64,
        _ operation: @escaping @Sendable () async throws -> any Sendable
    ) async throws -> StepOutcomeRecord {
        let key = step.key
        while true {
            if let known = outcome(of: key, after: stamp) { return try known.get() }
            // A caller that joined with a newer stamp checks again: the outcome may be too old for it.
            if let record = try await run(step, sentUnder: stamp, operation) { return record }
        }
    }

    private func run<Outcome>(
        _ step: ConversationStep<Outcome>, sentUnder stamp: UInt64,
        _ operation: @escaping @Sendable () async throws -> any Sendable
    ) async throws -> StepOutcomeRecord? {
        let (key, begin) = (step.key, epoch.current)
        return try await flights.join(key, runsToCompletion: step.policy.runsToCompletion) { result in
            // If outcomes were removed during the run, only its waiters get its outcome.
            if self.removal.load(ordering: .acquiring) > begin { return self.forget(key) }
            self.remember(result, of: key, step.policy)
        } operation: {
            // The run may have ended between the check above and joining; then use its outcome.
            if self.outcome(of: key, after: stamp) != nil { return nil }
            let coverage = step.covers.map { self.cover(key, $0) }
            defer { self.uncover(coverage) }
            let outcome = try await operation()
            return StepOutcomeRecord(outcome: outcome, epoch: self.epoch.advance())
        }
    }

    /// Whether the step runs, or has a stored outcome later than `stamp`.
    func knows(_ key: SendableKey, after stamp: UInt64) -> Bool {
        outcome(of: key, after: stamp) != nil || isRunning(key)
    }

    /// Whether the step is running.
    func isRunning(_ key: SendableKey) -> Bool { flights.waiterCount(key) > 0 }

    /// Whether a step runs that requests may have to wait for.
    var mayCover: Bool { covering.load(ordering: .acquiring) > 0 }

    /// The running steps that a request has to wait for.
    func running(covering request: ConversationRequest, in context: ConversationContext) async -> [SendableKey] {
        var keys: [SendableKey] = []
        for coverage in coverage.withLock({ $0 }) where await coverage.covers(request, context) {
            keys.append(coverage.key)
        }
        return keys
    }

    /// Joins a running step; nil if it is not running. Starts nothing.
    func joinIfRunning(_ key: SendableKey) -> Place? { flights.joinIfRunning(key) }

    private func cover(_ key: SendableKey, _ covers: @escaping StepCoverage) -> Coverage {
        let new = Coverage(key, covers)
        coverage.withLock { $0.append(new) }
        covering.add(1, ordering: .acquiringAndReleasing)
        return new
    }

    private func uncover(_ old: Coverage?) {
        guard let old else { return }
        coverage.withLock { $0.removeAll { $0 === old } }
        covering.subtract(1, ordering: .acquiringAndReleasing)
    }

    private func outcome(of key: SendableKey, after stamp: UInt64) -> Result<StepOutcomeRecord, any Error>? {
        ended.withLock { ended in
            ended[key].flatMap { known in
                known.epoch > stamp ? known.result.map { StepOutcomeRecord(outcome: $0, epoch: known.epoch) } : nil
            }
        }
    }

    private func remember(_ result: Result<StepOutcomeRecord?, any Error>, of key: SendableKey, _ policy: StepPolicy) {
        switch result {
        // A cancelled run has no outcome for others.
        case .failure(let error) where error is CancellationError: return
        case .failure(let error):
            guard policy.remembers != .nothing else { return }
            keep(Ended(epoch: epoch.advance(), result: .failure(error)), for: key)
        case .success(nil): return
        case .success(let record?):
            guard policy.remembers == .outcomes else { return forget(key) }
            keep(Ended(epoch: record.epoch, result: .success(record.outcome)), for: key)
        }
    }

    private func keep(_ outcome: Ended, for key: SendableKey) {
        ended.withLock { ended in
            if ended.count >= Self.maximumEnded, let oldest = ended.min(by: { $0.value.epoch < $1.value.epoch })?.key {
                ended[oldest] = nil
            }
            ended[key] = outcome
        }
    }

    private func forget(_ key: SendableKey) { _ = ended.withLock { $0.removeValue(forKey: key) } }

    /// Forgets all outcomes, also those of the present runs.
    func forgetOutcomes() {
        removal.store(epoch.advance(), ordering: .releasing)
        ended.withLock { $0.removeAll() }
    }

    /// Returns once `count` conversations wait for the step; for tests.
    package func waitForWaiters(_ count: Int, of key: SendableKey) async {
        await flights.waitForWaiters(count, of: key)
    }
}
