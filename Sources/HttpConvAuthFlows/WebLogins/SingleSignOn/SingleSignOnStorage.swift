import Synchronization

/// Keeps a store's sessions, such as in a file or for several processes.
public protocol SingleSignOnStorage: Sendable {
    /// The sessions.
    func sessions() async throws -> SingleSignOnSessions
    /// Changes the sessions, in one step for all that use the storage.
    func change(_ change: @escaping @Sendable (inout SingleSignOnSessions) -> Void) async throws
    /// Performs a login. A storage of several processes lets one log in at a time, so that the others find its session.
    /// Default: performs it.
    func withLogin<Outcome: Sendable>(_ login: () async throws -> Outcome) async throws -> Outcome
}

extension SingleSignOnStorage {
    public func withLogin<Outcome: Sendable>(_ login: () async throws -> Outcome) async throws -> Outcome {
        try await login()
    }
}

/// Keeps sessions while the process runs. The default.
public final class InMemorySingleSignOnStorage: SingleSignOnStorage {
    private let kept = Mutex(SingleSignOnSessions())

    /// An empty storage.
    public init() {}

    public func sessions() async -> SingleSignOnSessions { kept.withLock { $0 } }

    public func change(_ change: @escaping @Sendable (inout SingleSignOnSessions) -> Void) async {
        kept.withLock { change(&$0) }
    }
}
