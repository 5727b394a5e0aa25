import Synchronization

/// How far a body has been read. Shared between the calls of its stream.
package final class StreamPosition: Sendable {
    private let offset = Atomic<Int>(0)

    /// At the start.
    package init() {}

    /// Where it stands.
    package var current: Int { offset.load(ordering: .relaxed) }

    /// Moves on and returns where it stood.
    @discardableResult
    package func advance(by count: Int) -> Int { offset.wrappingAdd(count, ordering: .relaxed).oldValue }
}
