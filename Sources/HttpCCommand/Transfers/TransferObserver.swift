import HttpC
import Synchronization

/// Collects facts for -w that an answer does not have, even if there is no answer.
final class TransferObserver: ConversationObserver {
    struct Facts {
        /// The number of followed redirects.
        var redirects = 0
        /// The number of new connections, without those of logins.
        var connections = 0
        /// The other end of the last connection: address and port.
        var peer: String?
        /// The method of the last request.
        var method: HTTPRequest.Method?
        var url: TargetURL?
        /// The status of the last answer.
        var status: Int?
    }

    private struct State {
        var facts = Facts()
        /// Whether a redirect is to be followed, unless a limit or the body prevents it.
        var isFollowing = false
    }

    private let state = Mutex(State())

    var facts: Facts { state.withLock { $0.facts } }

    /// Begins another attempt.
    func reset() { state.withLock { $0 = State() } }

    func observe(_ event: ConversationEvent) {
        // Logins have their own conversations.
        guard event.parentID == nil else { return }
        switch event.kind {
        case .redirectDecided(let decision): state.withLock { $0.isFollowing = decision.verdict == .follow }
        case .exchangeStarted(let start): state.withLock { Self.start(start.request, &$0) }
        case .responseReceived(let response): state.withLock { Self.receive(response, &$0.facts) }
        default: break
        }
    }

    private static func start(_ request: ObservedRequest, _ state: inout State) {
        if state.isFollowing { state.facts.redirects += 1 }
        state.isFollowing = false
        state.facts.method = request.method
        state.facts.url = request.target
    }

    private static func receive(_ response: ObservedResponse, _ facts: inout Facts) {
        if !response.reusedConnection { facts.connections += 1 }
        facts.peer = response.connection?.peer
        facts.status = response.status.code
    }
}
