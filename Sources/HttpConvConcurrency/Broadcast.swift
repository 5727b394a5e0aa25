import Synchronization

/// Sends elements to all listeners; each listener gets its own sequence.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var nextNumber = 0
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
    }

    private let state = Mutex(State())
    private let backlog: Int

    /// - Parameter backlog: how many elements are kept for a slow listener, the newest ones
    package init(backlog: Int) { self.backlog = backlog }

    /// The elements that are sent from now on.
    package func listen() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(backlog))
        let number = state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = continuation
            return state.nextNumber
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    /// Sends an element to all listeners.
    package func tell(_ element: Element) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(element) }
    }
}
