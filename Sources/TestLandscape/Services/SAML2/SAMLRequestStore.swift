import Synchronization

/// The unanswered authentication requests of the service provider.
final class SAMLRequestStore: Sendable {
    /// A request and its purpose.
    struct Pending: Sendable {
        /// The service provider's scheme, host and port.
        let base: String
        /// The path and query that the browser asked for.
        let target: String
        /// Whether the target is a finish endpoint.
        let isFinish: Bool
        let relayState: String
        let issued: Duration
        fileprivate(set) var isAnswered = false
    }

    enum Outcome {
        case taken(Pending)
        case replayed
        case unknown
    }

    private static let capacity = 50_000
    private let clock: LandscapeClock
    private let pending = Mutex<[String: Pending]>([:])

    init(clock: LandscapeClock) {
        self.clock = clock
    }

    /// The id and the relay state of a new request.
    func add(base: String, target: String, isFinish: Bool, relayStateIsURL: Bool) -> (id: String, relayState: String) {
        let id = "_" + RandomToken.make()
        let relayState = relayStateIsURL ? base + target : "ss:mem:" + RandomToken.make()
        let request = Pending(
            base: base, target: target, isFinish: isFinish, relayState: relayState, issued: clock.now)
        pending.withLock { pending in
            if pending.count >= Self.capacity { pending = [:] }
            pending[id] = request
        }
        return (id, relayState)
    }

    /// The request with that id. It can be answered only once.
    func take(_ id: String, lifetime: Duration) -> Outcome {
        let now = clock.now
        return pending.withLock { pending in
            guard let request = pending[id], now - request.issued <= lifetime else { return .unknown }
            if request.isAnswered { return .replayed }
            pending[id]?.isAnswered = true
            return .taken(request)
        }
    }

    func removeAll() {
        pending.withLock { $0 = [:] }
    }
}
