package import Foundation
import HttpConvConcurrency
import Synchronization

/// A clock that a test advances, for time limits and for the delays of a ``ScriptedTransport``.
///
/// ```swift
/// let clock = TestClock()
/// let transport = ScriptedTransport(clock: clock) { _, _ in .init(.ok, body: "late").delayed(by: .seconds(5)) }
/// ```
public final class TestClock: Clock, Sendable {
    /// A moment of this clock.
    public typealias Instant = ContinuousClock.Instant

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Waiter {
        let number: Int
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var elapsed: Duration = .zero
        var date: Date
        var slept: [Duration] = []
        var next = 0
        var sleepers: [Int: Sleeper] = [:]
        var waiters: [Waiter] = []

        mutating func number() -> Int {
            next += 1
            return next
        }

        mutating func advance(by duration: Duration) {
            elapsed += duration
            date = date + duration
        }
    }

    private let start = Instant.now
    private let state: Mutex<State>
    private let sleepsAdvance: Bool

    /// A clock that stands still.
    public convenience init() { self.init(sleepsAdvance: false) }

    /// A clock that stands still until it is advanced.
    ///
    /// - Parameters:
    ///   - date: the date at the start
    ///   - sleepsAdvance: whether each sleep advances the clock and ends at once
    package init(at date: Date = Date(timeIntervalSince1970: 1_800_000_000), sleepsAdvance: Bool = false) {
        state = Mutex(State(date: date))
        self.sleepsAdvance = sleepsAdvance
    }

    /// The start, plus the durations by which it was advanced.
    public var now: Instant { state.withLock { start + $0.elapsed } }
    /// A nanosecond: the clock rounds nothing.
    public var minimumResolution: Duration { .nanoseconds(1) }
    /// The number of tasks that sleep on it now.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }
    /// The durations of all sleeps, in order.
    package var slept: [Duration] { state.withLock { $0.slept } }

    /// Advances the clock, and wakes sleepers whose deadline has come.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.advance(by: duration)
            let now = start + state.elapsed
            let woken = state.sleepers.filter { $0.value.deadline <= now }
            for number in woken.keys { state.sleepers[number] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Sets the date without advancing the clock.
    package func setDate(_ change: (inout Date) -> Void) { state.withLock { change(&$0.date) } }

    /// Returns as soon as at least that many tasks sleep on it, or the calling task is cancelled, as by a test's time
    /// limit.
    public func waitForSleepers(_ count: Int = 1) async {
        let number = state.withLock { $0.number() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isEnough = state.withLock { state in
                    let isEnough = state.sleepers.count >= count
                    if !isEnough {
                        state.waiters.append(Waiter(number: number, count: count, continuation: continuation))
                    }
                    return isEnough
                }
                if isEnough { continuation.resume() }
                if Task.isCancelled { stopWaiting(number) }
            }
        } onCancel: {
            stopWaiting(number)
        }
    }

    private func stopWaiting(_ number: Int) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume()
    }

    /// Sleeps until the clock has reached the deadline. Returns at once if it already has.
    ///
    /// - Throws: `CancellationError` if the task is cancelled meanwhile
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { $0.number() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled, sleepsAdvance { return continuation.resume(throwing: CancellationError()) }
                sleep(Sleeper(deadline: deadline, continuation: continuation), as: number)
                if Task.isCancelled { leave(number) }
            }
        } onCancel: {
            leave(number)
        }
    }

    private func sleep(_ sleeper: Sleeper, as number: Int) {
        let waiting: [Waiter]? = state.withLock { state in
            let left = sleeper.deadline - (start + state.elapsed)
            state.slept.append(left)
            if sleepsAdvance { state.advance(by: max(.zero, left)) }
            guard left > .zero, !sleepsAdvance else { return nil }
            state.sleepers[number] = sleeper
            let count = state.sleepers.count
            defer { state.waiters.removeAll { $0.count <= count } }
            return state.waiters.filter { $0.count <= count }
        }
        guard let waiting else { return sleeper.continuation.resume() }
        for waiter in waiting { waiter.continuation.resume() }
    }

    private func leave(_ number: Int) {
        state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume(throwing: CancellationError())
    }
}

extension TestClock: WallClock {
    package var date: Date { state.withLock { $0.date } }
    package var uptime: Duration { state.withLock { $0.elapsed } }
    package func sleep(for duration: Duration) async throws { try await sleep(until: now + duration, tolerance: nil) }
}
