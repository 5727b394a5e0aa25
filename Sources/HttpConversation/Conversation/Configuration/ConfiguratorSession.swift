import Synchronization

/// The session of a configurator: the given one, else the one of the first configuration that it configures.
///
/// Copies of a configurator share it, so that all managers that it configures act for the same person (security rule
/// S2). ``HttpConversationManager/Configuration/join(_:)`` describes the handling of two different sessions.
public final class ConfiguratorSession: Sendable {
    private struct State {
        var session: HttpSession?
        /// Whether the session is final, because others use it already.
        var isSettled: Bool
    }

    private let state: Mutex<State>

    /// - Parameter session: nil: not decided yet
    public init(_ session: HttpSession? = nil) {
        state = Mutex(State(session: session, isSettled: session != nil))
    }

    /// The session; decides on a new one if none was decided.
    public var session: HttpSession {
        state.withLock { state in
            let session = state.session ?? HttpSession()
            state = State(session: session, isSettled: true)
            return session
        }
    }

    /// Whether the decided session is this one.
    public func uses(_ session: HttpSession) -> Bool { state.withLock { $0.session === session } }

    /// The decided session, which is final from now on. If there is none, decides on the other one and returns nil.
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

    /// Whether the configurator has this session and may still take another one.
    func canChange(from session: HttpSession) -> Bool { state.withLock { !$0.isSettled && $0.session === session } }

    /// Makes the session final: it is in use.
    func settle() { state.withLock { $0.isSettled = true } }

    /// Changes to the new session of the configuration that decided it.
    func move(to session: HttpSession) { state.withLock { $0.session = session } }
}

extension HttpConversationManager.Configuration {
    /// Takes a configurator's session, or gives it this configuration's.
    ///
    /// - A configurator without a session takes this one.
    /// - A configuration without a given session takes the configurator's.
    /// - Two different sessions belong to two persons: that is a configuration problem (``problems``), and nothing
    ///   changes.
    public mutating func join(_ other: ConfiguratorSession) {
        guard let wanted = other.settle(or: session) else {
            joined.append(other)
            return
        }
        guard wanted !== session else { return }
        guard !isSessionGiven, joined.allSatisfy({ $0.canChange(from: session) }) else { return reportTwoSessions() }
        session = wanted
    }

    /// Makes the sessions of joined configurators final, when the configuration goes into use.
    mutating func settle() {
        guard !joined.isEmpty else { return }
        for configurator in joined { configurator.settle() }
        joined = []
        isSessionGiven = true
    }

    private mutating func reportTwoSessions() {
        report(
            ConversationError(
                .invalidConfiguration,
                """
                A configurator has another session than this configuration, and a manager has only one. Give the same \
                HttpSession to both (Configuration(session:), CommonAuthenticationConfigurator(session:)), or use a \
                separate configurator for each manager.
                """))
    }
}
