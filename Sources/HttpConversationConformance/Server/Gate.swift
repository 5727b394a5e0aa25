import HttpConvConcurrency
import Synchronization

/// A condition that becomes true once.
package final class Gate: Sendable {
    private let isOpen = Atomic<Bool>(false)
    private let opening = ConditionVariable<Int>()

    package init() {}

    package func open() {
        isOpen.store(true, ordering: .releasing)
        opening.notifyAll()
    }

    package func wait() async { await opening.wait(for: 0) { self.isOpen.load(ordering: .acquiring) } }
}
