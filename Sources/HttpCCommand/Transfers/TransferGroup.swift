import HttpC
import HttpCClient
import HttpCTerminal
import Synchronization

/// Transfers of one identity, which share its session, logins and connections.
final class TransferGroup: Sendable {
    private struct State {
        var manager: HttpConversationManager
        /// The pins of the keys that the person has just accepted, by origin.
        var accepted: [String: String] = [:]
        /// The servers that the person has declined.
        var refused: Set<Origin> = []
    }

    let setup: RequestSetup
    private let observers: [any ConversationObserver]
    private let state: Mutex<State>
    private let asking = AsyncLock()

    init(_ setup: RequestSetup, observing observers: [any ConversationObserver]) {
        self.setup = setup
        self.observers = observers
        state = Mutex(State(manager: setup.manager(observing: observers)))
    }

    var manager: HttpConversationManager { state.withLock { $0.manager } }

    /// Whether the person accepts the server of an error, so that a retry makes sense. There is one question, even if
    /// many transfers wait for the answer.
    ///
    /// - Parameter manager: the manager whose request failed
    func accepts(_ error: ConversationError, from manager: HttpConversationManager) async -> Bool {
        guard error.code == .certificateNotTrusted,
            let origin = (error.underlyingError as? ServerTrustError)?.origin
        else { return false }
        await asking.lock()
        defer { asking.unlock() }
        let (isKnown, isRefused) = state.withLock { state in
            (state.accepted[origin.description] != nil, state.refused.contains(origin))
        }
        // A key that was accepted meanwhile was unknown to that attempt. If the attempt knew it, something else refused
        // the server.
        if isKnown { return self.manager !== manager }
        guard !isRefused, let pin = await TrustPrompt.accepted(error, setup) else {
            state.withLock { _ = $0.refused.insert(origin) }
            return false
        }
        state.withLock { state in
            state.accepted[origin.description] = pin
            state.manager = setup.manager(observing: observers, accepting: state.accepted)
        }
        return true
    }

    /// Saves the session's state after any outcome of the transfers, as curl does.
    func keep() async throws(CommandFailure) { try await setup.save() }
}
