import Synchronization

/// A number that is changed from several threads.
final class Counter: Sendable {
    private let number: Atomic<Int>

    init(_ number: Int) { self.number = Atomic(number) }

    var value: Int { number.load(ordering: .sequentiallyConsistent) }
    func set(_ value: Int) { number.store(value, ordering: .sequentiallyConsistent) }
    /// Takes one. Returns whether there was one left.
    func take() -> Bool { number.wrappingSubtract(1, ordering: .sequentiallyConsistent).oldValue > 0 }
}
