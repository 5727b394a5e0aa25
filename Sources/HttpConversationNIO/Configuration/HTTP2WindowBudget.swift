import Synchronization

/// The bytes by which the windows of all streams together may exceed their first size. They count until the last
/// bytes of a response are read.
final class HTTP2WindowBudget: Sendable {
    static let shared = HTTP2WindowBudget()

    private let bytes: Int
    private let left: Atomic<Int>
    /// The streams whose windows have grown, or should.
    fileprivate let streams = Atomic<Int>(0)

    init(_ bytes: Int = 32 << 20) {
        self.bytes = bytes
        left = Atomic(bytes)
    }

    /// The most that a stream may have: any number while half of the bytes are left. After that an equal part for each,
    /// so that streams with more give some back.
    var share: Int {
        if left.load(ordering: .relaxed) >= bytes / 2 { return bytes }
        return bytes / max(1, streams.load(ordering: .relaxed))
    }

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

    init(from budget: HTTP2WindowBudget) {
        self.budget = budget
        budget.streams.add(1, ordering: .relaxed)
    }

    deinit {
        budget.streams.subtract(1, ordering: .relaxed)
        budget.give(bytes.load(ordering: .relaxed))
    }

    /// The bytes beyond the stream's part.
    var excess: Int { max(0, bytes.load(ordering: .relaxed) - budget.share) }

    /// Takes more bytes. Returns false if they exceed the stream's part, or the budget has fewer left.
    func add(_ count: Int) -> Bool {
        guard bytes.load(ordering: .relaxed) + count <= budget.share, budget.take(count) else { return false }
        bytes.add(count, ordering: .relaxed)
        return true
    }

    /// Gives bytes back early.
    func remove(_ count: Int) {
        bytes.subtract(count, ordering: .relaxed)
        budget.give(count)
    }
}
