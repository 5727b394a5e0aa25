import Synchronization

/// Stands for one configurator and its copies: what it adds replaces what it has added before, and nobody else's.
public struct ConfiguratorID: Hashable, Sendable {
    private static let count = Atomic<Int>(0)
    private let number: Int

    /// An id like no other in this process.
    public init() { number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue }
}
