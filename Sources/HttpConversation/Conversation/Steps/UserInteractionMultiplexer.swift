package import HttpConvConcurrency

/// Lets interactions use the screen one at a time. Equal requests for an interaction share it; different ones queue,
/// first come, first served.
///
/// A cancelled waiter does not affect the others. When the last one has left, its interaction is cancelled. An
/// interaction that has the screen may ask for another, such as a password for a login page: that is a part of it and
/// does not queue.
public actor UserInteractionMultiplexer {
    /// The multiplexer that is used by default.
    public static let shared = UserInteractionMultiplexer()

    private let flights = SingleFlight<SendableKey, any Sendable>()
    /// The number of interactions that use the screen: the current one, and those that it waits for.
    private var users = 0
    private var queue: [Queued] = []
    private var nextTicket = 0
    /// The work that interactions on the screen wait for, with the number of waiters.
    private var lent: [SendableKey: Int] = [:]

    private struct Queued {
        let ticket: Int
        let work: Set<SendableKey>
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// The multiplexers whose screen the running interaction has.
    @TaskLocal private static var held: Set<ObjectIdentifier> = []

    /// Creates a multiplexer with its own screen.
    public init() {}

    /// Whether the running task is part of an interaction that has the screen.
    public nonisolated var isInside: Bool {
        let held = Self.held
        return !held.isEmpty && held.contains(ObjectIdentifier(self))
    }

    /// Performs an interaction, or joins the one that is queued or running under an equal key.
    ///
    /// - Parameters:
    ///   - key: identifies the interaction, for example the server that asks; interactions with equal keys must have
    ///     one result type
    ///   - interaction: shows something and returns the person's answer
    /// - Throws: the interaction's error; `CancellationError` if the waiting task is cancelled
    public func perform<Key: Hashable & Sendable, Answer: Sendable>(
        _ key: Key, _ interaction: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await perform(key, asPartOf: [], interaction)
    }

    /// - Parameter work: the work that the interaction is part of; see ``lendingScreen(to:_:)``
    package func perform<Key: Hashable & Sendable, Answer: Sendable>(
        _ key: Key, asPartOf work: Set<SendableKey>, _ interaction: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        // Queueing here would be a deadlock: the interaction would wait for itself.
        if isInside { return try await interaction() }
        let held = Self.held.union([ObjectIdentifier(self)])
        let answer = try await flights.join(SendableKey(key, for: Answer.self)) {
            try await self.takeScreen(for: work)
            do {
                let answer: any Sendable = try await Self.$held.withValue(held) { try await interaction() }
                await self.leaveScreen()
                return answer
            } catch {
                await self.leaveScreen()
                throw error
            }
        }
        guard let answer = answer as? Answer else { throw CancellationError() }
        return answer
    }

    /// The number of waiters for the interaction with this key.
    package func waiterCount<Key: Hashable & Sendable, Answer>(_ key: Key, _: Answer.Type) -> Int {
        flights.waiterCount(SendableKey(key, for: Answer.self))
    }

    /// The number of interactions that wait for the screen.
    package var queueLength: Int { queue.count }

    /// Waits for work that another task may have begun. If the running task has the screen, interactions of that work
    /// do not queue for it: that would be a deadlock.
    package nonisolated func lendingScreen<Value, Failure: Error>(
        to work: SendableKey, _ wait: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard isInside else { return try await wait() }
        await lend(to: work)
        do throws(Failure) {
            let value = try await wait()
            await reclaim(from: work)
            return value
        } catch {
            await reclaim(from: work)
            throw error
        }
    }

    private func lend(to work: SendableKey) {
        lent[work, default: 0] += 1
        for queued in queue where queued.work.contains(work) {
            users += 1
            queued.continuation.resume()
        }
        queue.removeAll { $0.work.contains(work) }
    }

    private func reclaim(from work: SendableKey) {
        lent[work] = lent[work].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    private func takeScreen(for work: Set<SendableKey>) async throws {
        guard users > 0, work.allSatisfy({ lent[$0] == nil }) else {
            users += 1
            return
        }
        nextTicket += 1
        let ticket = nextTicket
        var notice = Waiting.Notice()
        notice.begin("for the screen: another question is open")
        defer { notice.end() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                queue.append(Queued(ticket: ticket, work: work, continuation: continuation))
            }
        } onCancel: {
            Task { await self.abandon(ticket) }
        }
    }

    private func abandon(_ ticket: Int) {
        guard let index = queue.firstIndex(where: { $0.ticket == ticket }) else { return }
        queue.remove(at: index).continuation.resume(throwing: CancellationError())
    }

    private func leaveScreen() {
        users -= 1
        guard users == 0, !queue.isEmpty else { return }
        users = 1
        queue.removeFirst().continuation.resume()
    }
}
