import Synchronization

/// Distinguishes the questions of filters with different providers in one session.
struct FlowIdentity: Hashable, Sendable, CustomStringConvertible {
    private static let count = Atomic<Int>(0)
    private let number: Int

    /// An identity that is unique in this process.
    init() { number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue }

    var description: String { "\(number)" }
}
