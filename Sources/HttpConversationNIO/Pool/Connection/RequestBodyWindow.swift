import Synchronization

/// How many bytes each pipe may hold: many while few bodies are sent, so that each thread has much to do when it wakes
/// up, and few while many are sent, so that they take no more memory.
final class RequestBodyWindow: Sendable {
    static let shared = RequestBodyWindow()
    static let largest = 512 << 10
    static let smallest = 64 << 10
    /// The number of bytes of all pipes together, unless there are so many that even the smallest windows exceed it.
    private static let total = 32 << 20

    private let pipes = Atomic(0)

    var size: Int {
        min(Self.largest, max(Self.smallest, Self.total / max(1, pipes.load(ordering: .relaxed))))
    }

    func pipeBegan() { pipes.add(1, ordering: .relaxed) }
    func pipeEnded() { pipes.subtract(1, ordering: .relaxed) }
}
