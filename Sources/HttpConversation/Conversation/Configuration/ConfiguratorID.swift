import Synchronization

/// Identifies one configurator and its copies. Its additions to a configuration replace its earlier ones, and no
/// others.
public struct ConfiguratorID: Hashable, Sendable {
    private static let count = Atomic<Int>(0)
    private let number: Int

    /// An id that is unique in this process.
    public init() { number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue }
}
