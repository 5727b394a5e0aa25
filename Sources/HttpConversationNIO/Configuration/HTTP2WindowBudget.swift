import Synchronization

/// The bytes by which the windows of all streams together may exceed their first size. They count until the last
/// bytes of a response are read.
final class HTTP2WindowBudget: Sendable {
    static let shared = HTTP2WindowBudget()

    private let left: Atomic<Int>

    init(_ bytes: Int = 32 << 20) { left = Atomic(bytes) }

    /// Takes bytes for the window of a stream. Returns false if there are fewer left.
    func take(_ count: Int) -> Bool {
        if left.subtract(count, ordering: .relaxed).newValue >= 0 { return true }
        give(count)
        return false
    }

    /// Gives bytes back.
    func give(_ count: Int) { left.add(count, ordering: .relaxed) }
}

/// The bytes of a budget that a stream's window has grown by. They are given back with the last reference.
final class HTTP2WindowGrowth: Sendable {
    private let budget: HTTP2WindowBudget
    private let bytes = Atomic<Int>(0)

    init(from budget: HTTP2WindowBudget) { self.budget = budget }

    deinit { budget.give(bytes.load(ordering: .relaxed)) }

    /// Takes more bytes. Returns false if the budget has fewer left.
    func add(_ count: Int) -> Bool {
        guard budget.take(count) else { return false }
        bytes.add(count, ordering: .relaxed)
        return true
    }
}
