import Synchronization

/// A count that can be waited for.
package final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    private let signal = Signal()

    package init() {}

    package var value: Int { count.load(ordering: .acquiring) }

    @discardableResult
    package func add(_ amount: Int = 1) -> Int {
        let new = count.wrappingAdd(amount, ordering: .acquiringAndReleasing).newValue
        signal.fire()
        return new
    }

    package func wait(for target: Int) async { await signal.wait { self.value >= target } }
}
