import Synchronization

/// How far a body has been read. Shared between the calls of its stream.
final class Position: Sendable {
    private let offset = Atomic<Int>(0)

    var current: Int { offset.load(ordering: .relaxed) }

    /// Moves on and returns where it stood.
    @discardableResult
    func advance(by count: Int) -> Int { offset.wrappingAdd(count, ordering: .relaxed).oldValue }
}
