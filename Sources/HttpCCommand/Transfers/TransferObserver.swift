import HttpC
import Synchronization

/// Notes for -w what a transfer's answer does not know, also where there is none.
final class TransferObserver: ConversationObserver {
    struct Facts {
        /// Those that were followed.
        var redirects = 0
        /// New ones, but for those of logins.
        var connections = 0
        /// The other end of the last one: address and port.
        var peer: String?
        /// Of the last request.
        var method: HTTPRequest.Method?
        var url: TargetURL?
        /// Of the last answer.
        var status: Int?
    }

    private struct State {
        var facts = Facts()
        /// A redirect that is to be followed, unless a limit or the body says otherwise.
        var isFollowing = false
    }

    private let state = Mutex(State())

    var facts: Facts { state.withLock { $0.facts } }

    /// Another try begins.
    func reset() { state.withLock { $0 = State() } }

    func observe(_ event: ConversationEvent) {
        // Logins have conversations of their own.
        guard event.parentID == nil else { return }
        switch event.kind {
        case .redirectDecided: state.withLock { $0.isFollowing = event.verdict == "follow" }
        case .exchangeStarted: state.withLock { Self.start(event, &$0) }
        case .responseReceived: state.withLock { Self.receive(event, &$0.facts) }
        default: break
        }
    }

    private static func start(_ event: ConversationEvent, _ state: inout State) {
        if state.isFollowing { state.facts.redirects += 1 }
        state.isFollowing = false
        state.facts.method = event.request?.method
        state.facts.url = event.request?.target
    }

    private static func receive(_ event: ConversationEvent, _ facts: inout Facts) {
        guard let response = event.response else { return }
        if !response.reusedConnection { facts.connections += 1 }
        facts.peer = response.connection?.peer
        facts.status = response.status.code
    }
}
