import Synchronization

/// Wakes whoever waits for a condition whenever something may have changed.
final class Signal: Sendable {
    private struct State {
        var waiters: [(condition: @Sendable () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    func wait(until condition: @escaping @Sendable () -> Bool) async {
        await withCheckedContinuation { continuation in
            let holds = state.withLock { state in
                if condition() { return true }
                state.waiters.append((condition, continuation))
                return false
            }
            if holds { continuation.resume() }
        }
    }

    func fire() {
        let ready = state.withLock { state in
            // Asked once: what becomes true in between must not be forgotten.
            let asked = state.waiters.map { ($0, $0.condition()) }
            state.waiters = asked.filter { !$0.1 }.map { $0.0 }
            return asked.filter { $0.1 }.map { $0.0 }
        }
        for waiter in ready { waiter.continuation.resume() }
    }
}

/// A condition that becomes true once.
final class Gate: Sendable {
    private let isOpen = Atomic<Bool>(false)
    private let signal = Signal()

    func open() {
        isOpen.store(true, ordering: .releasing)
        signal.fire()
    }

    func wait() async { await signal.wait { self.isOpen.load(ordering: .acquiring) } }
}

/// A count that can be waited for.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    private let signal = Signal()

    var value: Int { count.load(ordering: .acquiring) }

    @discardableResult
    func add(_ amount: Int = 1) -> Int {
        let new = count.wrappingAdd(amount, ordering: .acquiringAndReleasing).newValue
        signal.fire()
        return new
    }

    func wait(for target: Int) async { await signal.wait { self.value >= target } }
}
