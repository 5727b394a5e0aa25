import Synchronization

/// The cookie sessions of a landscape.
final class SessionStore: Sendable {
    private struct Session {
        let user: String
        let realm: String
        var lastUsed: Duration
    }

    /// The maximum number of sessions. Beyond it the oldest ones are forgotten.
    private static let capacity = 50_000
    private let clock: LandscapeClock
    private let lifetime: Duration
    private let sessions = Mutex<[String: Session]>([:])

    init(clock: LandscapeClock, lifetime: Duration) {
        self.clock = clock
        self.lifetime = lifetime
    }

    /// The id of a new session for the user, valid for one realm only.
    func begin(user: String, realm: String = "session") -> String {
        let id = RandomToken.make()
        let now = clock.now
        sessions.withLock { sessions in
            if sessions.count >= Self.capacity { sessions = sessions.filter { now - $0.value.lastUsed <= lifetime } }
            if sessions.count >= Self.capacity { sessions = [:] }
            sessions[id] = Session(user: user, realm: realm, lastUsed: now)
        }
        return id
    }

    /// The user of a session. Using the session renews its lifetime.
    func user(of id: String, realm: String = "session") -> String? {
        let now = clock.now
        return sessions.withLock { sessions in
            guard var session = sessions[id], now - session.lastUsed <= lifetime else {
                sessions[id] = nil
                return nil
            }
            guard session.realm == realm else { return nil }
            session.lastUsed = now
            sessions[id] = session
            return session.user
        }
    }

    func end(_ id: String) {
        sessions.withLock { $0[id] = nil }
    }

    func endAll() {
        sessions.withLock { $0 = [:] }
    }
}
