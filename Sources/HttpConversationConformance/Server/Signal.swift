import Synchronization

/// Wakes waiters whose condition has become true. Cancelling its task ends a wait, too.
package final class Signal: Sendable {
    private struct State {
        var waiters: [Int: (condition: @Sendable () -> Bool, continuation: CheckedContinuation<Void, Never>)] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    package init() {}

    package func wait(until condition: @escaping @Sendable () -> Bool) async {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let holds = state.withLock { state in
                    if Task.isCancelled || condition() { return true }
                    state.waiters[id] = (condition, continuation)
                    return false
                }
                if holds { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
        }
    }

    package func fire() {
        let ready = state.withLock { state in
            // Each condition is evaluated only once, so that a waiter is not removed without being woken.
            let ready = state.waiters.filter { $0.value.condition() }
            for id in ready.keys { state.waiters[id] = nil }
            return ready.values
        }
        for waiter in ready { waiter.continuation.resume() }
    }
}
