import Synchronization

/// The position in a body, shared between the calls of its stream.
package final class StreamPosition: Sendable {
    private let offset = Atomic<Int>(0)

    /// Starts at zero.
    package init() {}

    /// The position.
    package var current: Int { offset.load(ordering: .relaxed) }

    /// Advances, and returns the former position.
    @discardableResult
    package func advance(by count: Int) -> Int { offset.wrappingAdd(count, ordering: .relaxed).oldValue }
}
