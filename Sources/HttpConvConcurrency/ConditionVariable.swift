import Synchronization

/// Lets tasks wait until a condition holds. Cancelling its task ends a wait, too.
///
/// The owner keeps the state of the conditions under a lock of its own. It changes the state, releases its lock, and
/// then notifies the waiters.
package final class ConditionVariable<Key: Hashable & Sendable>: Sendable {
    private typealias Waiter = (condition: @Sendable () -> Bool, continuation: CheckedContinuation<Void, Never>)

    private struct State {
        var waiters: [Key: [Int: Waiter]] = [:]
        var nextTicket = 0

        mutating func removeReady(_ key: Key) -> [CheckedContinuation<Void, Never>] {
            guard let waiters = waiters[key] else { return [] }
            return remove(waiters.filter { $0.value.condition() }.map(\.key), of: key)
        }

        mutating func remove(_ tickets: [Int], of key: Key) -> [CheckedContinuation<Void, Never>] {
            let removed = tickets.compactMap { waiters[key]?.removeValue(forKey: $0)?.continuation }
            if waiters[key]?.isEmpty == true { waiters[key] = nil }
            return removed
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Returns once a condition holds, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - key: the key of the notifications that may concern the condition
    ///   - condition: is called under this object's lock, and may take the owner's
    package func wait(for key: Key, until condition: @escaping @Sendable () -> Bool) async {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    if Task.isCancelled || condition() { return false }
                    state.waiters[key, default: [:]][ticket] = (condition, continuation)
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.remove([ticket], of: key) }.first?.resume()
        }
    }

    /// Wakes the waiters of a key whose condition holds. The caller must not hold a lock that their conditions take.
    package func notify(_ key: Key) {
        for waiter in state.withLock({ $0.removeReady(key) }) { waiter.resume() }
    }

    /// Wakes all waiters whose condition holds. The caller must not hold a lock that their conditions take.
    package func notifyAll() {
        for waiter in state.withLock({ state in Array(state.waiters.keys).flatMap { state.removeReady($0) } }) {
            waiter.resume()
        }
    }

    /// The number of waiters; for tests.
    package func waiterCount(of key: Key) -> Int { state.withLock { $0.waiters[key]?.count ?? 0 } }
}
