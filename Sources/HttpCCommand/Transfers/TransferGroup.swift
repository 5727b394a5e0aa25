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
        /// The recognised logins that the person has confirmed.
        var logins: [RecognizedLogin] = []
        /// Whether the person has declined one, and is not asked again.
        var declinesLogins = false

        func manager(_ setup: RequestSetup, _ observers: [any ConversationObserver]) -> HttpConversationManager {
            setup.manager(observing: observers, accepting: accepted, confirming: logins)
        }
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

    /// Whether the person changes something after an error, so that a retry makes sense.
    ///
    /// - Parameters:
    ///   - manager: the manager whose request failed
    ///   - isReplayable: whether the request can be sent again
    func resolves(
        _ error: ConversationError, from manager: HttpConversationManager, isReplayable: Bool
    ) async -> Bool {
        if let login = error.underlyingError as? RecognizedLogin {
            return isReplayable ? await logsIn(login, error, from: manager) : false
        }
        return await accepts(error, from: manager)
    }

    /// Whether the person logs in at a recognised login.
    private func logsIn(
        _ login: RecognizedLogin, _ error: ConversationError, from manager: HttpConversationManager
    ) async -> Bool {
        await asking.lock()
        defer { asking.unlock() }
        let (isKnown, isDeclined) = state.withLock { state in
            (state.logins.contains { $0.isSameDemand(as: login) }, state.declinesLogins)
        }
        // Another transfer may have confirmed it meanwhile. If the attempt knew it, the login has not helped.
        if isKnown { return self.manager !== manager }
        guard !isDeclined, let confirmed = await LoginPrompt.accepted(error, setup) else {
            state.withLock { $0.declinesLogins = true }
            return false
        }
        state.withLock { state in
            state.logins.append(confirmed)
            state.manager = state.manager(setup, observers)
        }
        return true
    }

    /// Whether the person accepts the server of an error. There is one question, even if many transfers wait for the
    /// answer.
    private func accepts(_ error: ConversationError, from manager: HttpConversationManager) async -> Bool {
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
            state.manager = state.manager(setup, observers)
        }
        return true
    }

    /// Saves the session's state after any outcome of the transfers, as curl does.
    func keep() async throws(CommandFailure) { try await setup.save() }
}

extension RecognizedLogin {
    /// Whether the same server demands a login that goes on at the same place.
    fileprivate func isSameDemand(as other: RecognizedLogin) -> Bool {
        target.origin == other.target.origin && provider == other.provider && kind == other.kind
    }
}
