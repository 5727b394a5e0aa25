import Synchronization

/// The number of bytes that each pipe may hold. While few bodies are sent it is large, so that a thread that wakes up
/// has much to do. While many are sent it is small, to bound the memory of all together.
final class RequestBodyWindow: Sendable {
    static let shared = RequestBodyWindow()
    static let largest = 2 << 20
    /// The maximum window, in bytes, for memory that a file was read into. More of it would have left the processor's
    /// cache before it is sent.
    static let largestForFiles = 512 << 10
    static let smallest = 64 << 10
    /// The number of bytes of all pipes together, unless there are so many that even the smallest windows exceed it.
    private static let total = 32 << 20

    private let pipes = Atomic(0)

    func size(forFiles isFile: Bool = false) -> Int {
        let share = max(Self.smallest, Self.total / max(1, pipes.load(ordering: .relaxed)))
        return min(isFile ? Self.largestForFiles : Self.largest, share)
    }

    func pipeBegan() { pipes.add(1, ordering: .relaxed) }
    func pipeEnded() { pipes.subtract(1, ordering: .relaxed) }
}
