import Synchronization

/// Who a configurator is for: the session that it was given, else the one of the first configuration that it meets.
///
/// Copies of a configurator share it, so that all managers that it configures are the same person (security rule S2).
/// ``HttpConversationManager/Configuration/join(_:)`` says what becomes of two different ones.
public final class ConfiguratorSession: Sendable {
    private struct State {
        var session: HttpSession?
        /// Whether anybody else knows it by now: then it stays.
        var isSettled: Bool
    }

    private let state: Mutex<State>

    /// - Parameter session: nil: not decided yet
    public init(_ session: HttpSession? = nil) {
        state = Mutex(State(session: session, isSettled: session != nil))
    }

    /// The session; where it was not decided yet, it is now.
    public var session: HttpSession {
        state.withLock { state in
            let session = state.session ?? HttpSession()
            state = State(session: session, isSettled: true)
            return session
        }
    }

    /// Whether it was decided to be this one.
    public func stands(for session: HttpSession) -> Bool { state.withLock { $0.session === session } }

    /// The decided session, taken for good; nil where it is not decided, which makes it this one.
    func settle(or other: HttpSession) -> HttpSession? {
        state.withLock { state in
            guard let session = state.session else {
                state.session = other
                return nil
            }
            if session !== other { state.isSettled = true }
            return session
        }
    }

    /// Whether it is this one, and nobody else's yet.
    func mayLeave(_ session: HttpSession) -> Bool { state.withLock { !$0.isSettled && $0.session === session } }

    /// Somebody uses it from now on.
    func settle() { state.withLock { $0.isSettled = true } }

    /// Goes along with the one configuration that it was decided by.
    func move(to session: HttpSession) { state.withLock { $0.session = session } }
}

extension HttpConversationManager.Configuration {
    /// Takes a configurator's session, or lends it this configuration's.
    ///
    /// - A configurator without a session of its own takes this one.
    /// - A configuration that was not given a session takes the configurator's.
    /// - Two different ones are two persons: a configuration problem (``problems``), and nothing is exchanged.
    public mutating func join(_ other: ConfiguratorSession) {
        guard let wanted = other.settle(or: session) else {
            joined.append(other)
            return
        }
        guard wanted !== session else { return }
        guard !isSessionGiven, joined.allSatisfy({ $0.mayLeave(session) }) else { return reportTwoPersons() }
        session = wanted
    }

    /// The configuration goes into use: who it is for does not change any more behind a configurator's back.
    mutating func settle() {
        guard !joined.isEmpty else { return }
        for configurator in joined { configurator.settle() }
        joined = []
        isSessionGiven = true
    }

    private mutating func reportTwoPersons() {
        report(
            ConversationError(
                .invalidConfiguration,
                """
                A configurator stands for another session than this configuration: two persons on one manager. Give one \
                HttpSession to both (Configuration(session:), CommonAuthenticationConfigurator(session:)), or use a \
                configurator of its own for each.
                """))
    }
}
