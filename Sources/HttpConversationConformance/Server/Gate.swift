import Synchronization

/// A condition that becomes true once.
package final class Gate: Sendable {
    private let isOpen = Atomic<Bool>(false)
    private let signal = Signal()

    package init() {}

    package func open() {
        isOpen.store(true, ordering: .releasing)
        signal.fire()
    }

    package func wait() async { await signal.wait { self.isOpen.load(ordering: .acquiring) } }
}
