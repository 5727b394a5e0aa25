package import HttpConvConcurrency
public import HttpConversation
import Synchronization

/// The sessions at identity providers, so that the next login there asks no question (security rule S33).
///
/// Separate from the session's cookies: conversations never send its cookies, only login views get them, and only for
/// the origins of a ``SingleSignOnPolicy``. Sessions of the same person may share a store.
public final class SingleSignOnStore: Sendable {
    let storage: any SingleSignOnStorage
    private let clock: any WallClock

    /// Creates a store.
    ///
    /// - Parameter storage: keeps the sessions; by default in memory
    public convenience init(storage: any SingleSignOnStorage = InMemorySingleSignOnStorage()) {
        self.init(storage: storage, clock: SystemClock())
    }

    /// Creates a store with another clock; for tests.
    package init(storage: any SingleSignOnStorage, clock: any WallClock) {
        self.storage = storage
        self.clock = clock
    }

    /// Forgets all sessions. At the identity providers they end by themselves.
    ///
    /// - Throws: the error of the storage; the one in memory has none
    public func removeAll() async throws { try await storage.change { $0 = SingleSignOnSessions() } }

    /// The origins whose session the next login would use, in order.
    ///
    /// - Throws: the error of the storage; the one in memory has none
    public func origins(for policy: SingleSignOnPolicy) async throws -> [Origin] {
        try await usableSessions(for: policy).cookies.keys.sorted { $0.description < $1.description }
    }

    /// The sessions that a login may use now.
    func usableSessions(for policy: SingleSignOnPolicy) async throws -> UsableSessions {
        let (sessions, now) = (try await storage.sessions(), clock.date)
        let origins = policy.origins.union(sessions.confirmed)
        return UsableSessions(
            named: policy.origins, origins: origins,
            cookies: origins.reduce(into: [:]) { result, origin in
                let cookies = sessions.cookies(at: origin, maximumAge: policy.maximumAge, now: now)
                result[origin] = cookies.isEmpty ? nil : cookies
            })
    }

    /// Keeps the sessions of a login that succeeded.
    func keep(_ outcome: WebLoginOutcome, of login: WebLogin) async throws {
        guard let usable = login.singleSignOn else { return }
        let kept = login.sessionsToKeep(of: outcome)
        guard !kept.isEmpty else { return }
        let confirmed = outcome.confirmedOrigins.subtracting(usable.named)
        let now = clock.date
        try await storage.change { sessions in
            for (origin, cookies) in kept {
                sessions.keep(cookies, at: origin, isConfirmed: confirmed.contains(origin), now: now)
            }
        }
    }

    /// Forgets the sessions of some origins.
    func remove(_ origins: Set<Origin>) async throws { try await storage.change { $0.remove(origins) } }
}

extension HttpSession {
    /// The session's store for single sign-on: in memory, unless another one is set. Sessions of the same person may
    /// share one.
    public var singleSignOn: SingleSignOnStore {
        get { holder.store.withLock { $0 } }
        set { holder.store.withLock { $0 = newValue } }
    }

    private var holder: SessionSingleSignOn { flowState { SessionSingleSignOn() } }
}

/// The store of a session.
private final class SessionSingleSignOn: Sendable {
    let store = Mutex(SingleSignOnStore())
}

/// The sessions at identity providers that a login view gets.
struct UsableSessions: Sendable {
    /// The origins that the policy names.
    let named: Set<Origin>
    /// The origins that may have a session: those that are named, and those that the person confirmed.
    let origins: Set<Origin>
    /// The cookies by origin.
    let cookies: [Origin: [Cookie]]
}
