import Synchronization

/// The sessions of the CSRF services, and the token of each service in each session.
final class CSRFTokenStore: Sendable {
    private struct Place: Hashable {
        let session: String
        let service: String
    }

    private struct State {
        var sessions: Set<String> = []
        var tokens: [Place: String] = [:]
    }

    private let state = Mutex(State())

    func isSession(_ id: String?) -> Bool { state.withLock { state in id.map(state.sessions.contains) ?? false } }

    func beginSession() -> String {
        let id = RandomToken.make()
        state.withLock { _ = $0.sessions.insert(id) }
        return id
    }

    /// The token of a service in a session, made at the first call.
    func token(of service: String, session: String) -> String {
        state.withLock { state in
            let place = Place(session: session, service: service)
            if let token = state.tokens[place] { return token }
            let token = RandomToken.make()
            state.tokens[place] = token
            return token
        }
    }

    func isValid(_ token: String?, of service: String, session: String?) -> Bool {
        guard let token, let session else { return false }
        return state.withLock { $0.tokens[Place(session: session, service: service)] == token }
    }

    func expireTokens() { state.withLock { $0.tokens = [:] } }

    func endSessions() { state.withLock { $0 = State() } }
}
