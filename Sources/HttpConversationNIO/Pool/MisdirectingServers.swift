import NIOCore
import Synchronization

/// Servers that refused a request (421) on a fresh connection, too. For some seconds, their requests are not repeated.
final class MisdirectingServers: Sendable {
    static let memory = TimeAmount.seconds(10)
    private static let limit = 64

    private let ends = Mutex<[PoolKey: NIODeadline]>([:])

    func contains(_ key: PoolKey, at now: NIODeadline = .now()) -> Bool {
        ends.withLock { $0[key].map { $0 > now } ?? false }
    }

    func insert(_ key: PoolKey, at now: NIODeadline = .now()) {
        ends.withLock { ends in
            ends = ends.filter { $0.value > now }
            if ends.count >= Self.limit { ends = [:] }
            ends[key] = now + Self.memory
        }
    }
}
