import HttpC
import Synchronization

/// Transfers that are one identity's, and so share its session, its logins and its connections.
final class TransferGroup: Sendable {
    private struct State {
        var manager: HttpConversationManager
        /// The pins of the keys that the person has just accepted, by origin.
        var accepted: [String: String] = [:]
        /// What the person has said no to.
        var refused: Set<Origin> = []
    }

    let setup: RequestSetup
    private let observers: [any ConversationObserver]
    private let state: Mutex<State>
    private let asking = Turn()

    init(_ setup: RequestSetup, observing observers: [any ConversationObserver]) {
        self.setup = setup
        self.observers = observers
        state = Mutex(State(manager: setup.manager(observing: observers)))
    }

    var manager: HttpConversationManager { state.withLock { $0.manager } }

    /// Whether the person accepts the server that an error is about, so that it is worth another try. Asked once, however many
    /// transfers wait for the answer.
    ///
    /// - Parameter manager: the one that the error came from
    func accepts(_ error: ConversationError, from manager: HttpConversationManager) async -> Bool {
        guard error.code == .certificateNotTrusted,
            let origin = (error.underlyingError as? ServerTrustFailure)?.origin
        else { return false }
        await asking.take()
        defer { asking.leave() }
        let (isKnown, isRefused) = state.withLock { state in
            (state.accepted[origin.description] != nil, state.refused.contains(origin))
        }
        // What was accepted meanwhile, that try did not know of; what it did know of is refused by something else.
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

    /// Keeps what the session has learned: whatever became of the transfers, as curl does.
    func keep() async throws(CommandFailure) {
        try await CommandFailure.both(
            { () async throws(CommandFailure) in try await setup.cookies.save(setup.session) },
            { () async throws(CommandFailure) in try await setup.logon?.leaveSession() })
    }
}
