import Synchronization

/// A log of texts, in order.
final class Log: Sendable {
    private let state = Mutex<[String]>([])

    var values: [String] { state.withLock { $0 } }

    func append(_ value: String) { state.withLock { $0.append(value) } }
}
