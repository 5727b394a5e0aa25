#if os(Linux)
import HttpConvAuthFlows
import HttpConversation
import Synchronization

/// The policy of a login, for the reader of events and its jobs.
final class SharedPolicy: Sendable {
    private let policy: Mutex<WebLoginPolicy>
    init(_ policy: WebLoginPolicy) { self.policy = Mutex(policy) }
    func decide(_ event: WebLoginPolicy.Event) -> WebLoginPolicy.Action { policy.withLock { $0.decide(event) } }
    /// The URL of a trial that runs, and whether its page could not be loaded.
    var tried: String? { policy.withLock(\.tried) }
    var hasFailed: Bool { policy.withLock(\.hasFailed) }
    /// The status of the main frame's last response, until the frame is about to load something else.
    var status: Int? { policy.withLock(\.status) }
    var isOver: Bool { policy.withLock { $0.isOver } }
    var shownOrigins: Set<Origin> { policy.withLock { $0.shownOrigins } }
}
#endif
