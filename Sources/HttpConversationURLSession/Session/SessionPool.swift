import HttpConversation
import Synchronization

/// The sessions of a transport. Exchanges share connections only if they have the same client certificate, or none, the
/// same judgement of servers, or none, and the same owner, or none (security rules S3 and S4).
final class SessionPool: Sendable {
    private struct Key: Hashable {
        let identity: ClientIdentitySource?
        let trust: ServerTrustPolicy?
        let owner: ConnectionOwner?

        init(_ options: TransportOptions) {
            identity = options.clientIdentity
            trust = options.serverTrust
            owner = options.connectionOwner
        }
    }

    private struct State {
        var sessions: [Key: ExchangeSession] = [:]
        /// The keys, the least recently used first.
        var order: [Key] = []
        /// Sessions of one exchange and evicted sessions, while they have running exchanges.
        var leaving: [ObjectIdentifier: ExchangeSession] = [:]
        var isShutDown = false
    }

    private let configuration: URLSessionTransport.Configuration
    private let state = Mutex(State())
    private static let maximumSessions = 32

    init(_ configuration: URLSessionTransport.Configuration) { self.configuration = configuration }

    deinit { for session in state.withLock({ Array($0.sessions.values) }) { session.finish() } }

    /// The session for an exchange.
    ///
    /// - Throws: ``ConversationError/Code/shutDown``
    func session(for request: OutgoingRequest) throws(ConversationError) -> ExchangeSession {
        let key = Key(request.options)
        let (session, evicted) = state.withLock { state -> (ExchangeSession?, ExchangeSession?) in
            guard !state.isShutDown else { return (nil, nil) }
            if request.needsOwnSession {
                let session = ExchangeSession(configuration)
                Self.leave(session, &state)
                return (session, nil)
            }
            state.order.removeAll { $0 == key }
            state.order.append(key)
            if let known = state.sessions[key] { return (known, nil) }
            let session = ExchangeSession(configuration)
            state.sessions[key] = session
            guard state.order.count > Self.maximumSessions else { return (session, nil) }
            let evicted = state.sessions.removeValue(forKey: state.order.removeFirst())
            if let evicted { Self.leave(evicted, &state) }
            return (session, evicted)
        }
        if let evicted { leave(evicted) }
        guard let session else { throw Self.shutDown }
        return session
    }

    /// Retires the session that a request ran in: its connections are used no more.
    func retire(_ request: OutgoingRequest) {
        let session = state.withLock { state -> ExchangeSession? in
            let key = Key(request.options)
            guard !request.needsOwnSession, let session = state.sessions.removeValue(forKey: key) else { return nil }
            state.order.removeAll { $0 == key }
            Self.leave(session, &state)
            return session
        }
        if let session { leave(session) }
    }

    static var shutDown: ConversationError {
        ConversationError(.shutDown, "The transport was shut down: nothing was sent.")
    }

    private static func leave(_ session: ExchangeSession, _ state: inout State) {
        state.leaving[ObjectIdentifier(session)] = session
    }

    /// Stops giving work to a session, and forgets it when it is idle.
    func leave(_ session: ExchangeSession) {
        session.finish()
        Task { [weak self] in
            await session.idle()
            _ = self?.state.withLock { $0.leaving.removeValue(forKey: ObjectIdentifier(session)) }
        }
    }

    /// Refuses new exchanges; running ones have `grace` to finish.
    func shutDown(grace: Duration) async {
        let sessions = state.withLock { state in
            state.isShutDown = true
            defer { state.sessions = [:] }
            return Array(state.sessions.values) + state.leaving.values
        }
        for session in sessions { session.finish() }
        let limit = Task {
            try await Task.sleep(for: grace)
            for session in sessions { session.abort() }
        }
        for session in sessions { await session.idle() }
        limit.cancel()
    }
}
