import Synchronization

/// Tells everybody who listens about something; each listener gets a sequence of its own.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var nextNumber = 0
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
    }

    private let state = Mutex(State())
    private let backlog: Int

    /// - Parameter backlog: how many elements wait for a slow listener, the newest
    package init(backlog: Int) { self.backlog = backlog }

    /// What is told from now on.
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

    /// Tells all listeners.
    package func tell(_ element: Element) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(element) }
    }
}
