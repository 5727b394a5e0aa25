import HttpConvConcurrency
import Synchronization

/// A count that can be waited for.
package final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    private let changes = ConditionVariable<Int>()

    package init() {}

    package var value: Int { count.load(ordering: .acquiring) }

    @discardableResult
    package func add(_ amount: Int = 1) -> Int {
        let new = count.wrappingAdd(amount, ordering: .acquiringAndReleasing).newValue
        changes.notifyAll()
        return new
    }

    package func wait(for target: Int) async { await changes.wait(for: 0) { self.value >= target } }
}
