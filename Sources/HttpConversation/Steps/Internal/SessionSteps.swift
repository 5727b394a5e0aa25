package import HttpConvConcurrency
import Synchronization

/// The steps of one session that run now, and how the last ones ended.
///
/// Present are not only those who wait when a step ends, but also those whose exchange was on the wire then: they ask
/// with the stamp that it was sent under, and get the outcome that came after it.
package final class SessionSteps: Sendable {
    /// What came of a run, and the stamp from which on exchanges know of it.
    struct Landing: Sendable {
        let outcome: any Sendable
        let epoch: UInt64

        /// Whether those who only waited for it can go on: nothing else has to happen, and nothing is to be used.
        var isDone: Bool {
            switch outcome {
            case let outcome as StepOutcome: if case .done = outcome { true } else { false }
            case let answer as ChallengeAnswer: if case .retry = answer { true } else { false }
            default: true
            }
        }
    }

    /// A run that was not begun: another one ended right before, and its outcome is there.
    private struct EndedBefore: Error {}

    private struct Ended {
        let epoch: UInt64
        let result: Result<any Sendable, any Error>
    }

    /// What waits for a run. An object, for two runs with one key may overlap: one is cancelled and still unwinds.
    private final class Coverage: Sendable {
        let key: SendableKey
        let covers: StepCoverage

        init(_ key: SendableKey, _ covers: @escaping StepCoverage) {
            self.key = key
            self.covers = covers
        }
    }

    private let epoch: SessionEpoch
    private let flights = SingleFlight<SendableKey, Landing>()
    private let coverage = Mutex<[Coverage]>([])
    /// So that a request that has nothing to wait for costs one atomic load.
    private let covering = Atomic<Int>(0)
    private let ended = Mutex<[SendableKey: Ended]>([:])
    private static let maximumEnded = 256

    init(epoch: SessionEpoch) { self.epoch = epoch }

    /// Runs a step, or shares the run that is under way, or the outcome that came after `stamp`.
    func join<Outcome>(
        _ step: ConversationStep<Outcome>, sentUnder stamp: UInt64,
        _ operation: @escaping @Sendable () async throws -> any Sendable
    ) async throws -> Landing {
        let key = step.key
        while true {
            if let known = outcome(of: key, after: stamp) { return try known.get() }
            // Those who joined with a newer stamp look again, too: for them that outcome may be none.
            do { return try await run(step, sentUnder: stamp, operation) } catch is EndedBefore {}
        }
    }

    private func run<Outcome>(
        _ step: ConversationStep<Outcome>, sentUnder stamp: UInt64,
        _ operation: @escaping @Sendable () async throws -> any Sendable
    ) async throws -> Landing {
        let key = step.key
        return try await flights.join(key, mustLand: step.policy.mustLand) { result in
            self.remember(result, of: key, step.policy)
        } operation: {
            // Between the look and joining, the run may have ended: that is its outcome, too.
            if self.outcome(of: key, after: stamp) != nil { throw EndedBefore() }
            let coverage = step.covers.map { self.cover(key, $0) }
            defer { self.uncover(coverage) }
            let outcome = try await operation()
            return Landing(outcome: outcome, epoch: self.epoch.advance())
        }
    }

    /// Whether the step runs, or ended after `stamp` in a way that is remembered.
    func knows(_ key: SendableKey, after stamp: UInt64) -> Bool {
        outcome(of: key, after: stamp) != nil || isRunning(key)
    }

    /// Whether somebody runs the step now.
    func isRunning(_ key: SendableKey) -> Bool { flights.waiterCount(key) > 0 }

    /// The running steps that a request has to wait for.
    func running(covering request: ConversationRequest, in context: ConversationContext) async -> [SendableKey] {
        guard covering.load(ordering: .acquiring) > 0 else { return [] }
        var keys: [SendableKey] = []
        for coverage in coverage.withLock({ $0 }) where await coverage.covers(request, context) {
            keys.append(coverage.key)
        }
        return keys
    }

    /// Waits for a step that runs; nil where it does not. Nothing is begun.
    func joinIfRunning(_ key: SendableKey) async throws -> Landing? {
        do { return try await flights.joinIfFlying(key) } catch is EndedBefore { return nil }
    }

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

    private func outcome(of key: SendableKey, after stamp: UInt64) -> Result<Landing, any Error>? {
        ended.withLock { ended in
            ended[key].flatMap { known in
                known.epoch > stamp ? known.result.map { Landing(outcome: $0, epoch: known.epoch) } : nil
            }
        }
    }

    private func remember(_ result: Result<Landing, any Error>, of key: SendableKey, _ policy: StepPolicy) {
        switch result {
        // Nobody waited to the end: that is no answer to anybody.
        case .failure(let error) where error is CancellationError || error is EndedBefore: return
        case .failure(let error):
            guard policy.remembers != .nothing else { return }
            keep(Ended(epoch: epoch.advance(), result: .failure(error)), for: key)
        case .success(let landing):
            guard policy.remembers == .outcomes else { return forget(key) }
            keep(Ended(epoch: landing.epoch, result: .success(landing.outcome)), for: key)
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

    func forgetOutcomes() { ended.withLock { $0.removeAll() } }

    /// Returns once `count` conversations wait for the step; for tests.
    package func waitForWaiters(_ count: Int, of key: SendableKey) async {
        await flights.waitForWaiters(count, of: key)
    }
}
