import HttpConversation
import NIOCore
import NIOPosix
import Synchronization

/// Keeps connections and hands them to exchanges. ``PoolStateMachine`` makes all decisions.
final class ConnectionPool: Sendable {
    typealias Machine = PoolStateMachine<PoolKey, Connection, TransportExchange>

    private struct State {
        var machine: Machine
        var attempts: [PoolKey: [ConnectAttempt]] = [:]
        var drained: [UnsafeContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let connector: any ConnectionMaker
    /// The loop for the timers of waiting exchanges.
    private let timerLoop: any EventLoop
    /// The time after which an attempt ends if no exchange needs it.
    private let unneededAttemptLimit: TimeAmount

    init(configuration: NIOTransport.Configuration, connector: any ConnectionMaker) {
        self.connector = connector
        timerLoop = connector.loops.first
        unneededAttemptLimit = TimeAmount(configuration.unneededAttemptLimit)
        state = Mutex(
            State(
                machine: Machine(
                    limitPerOrigin: configuration.maximumConnectionsPerOrigin,
                    limitInTotal: FileDescriptors.limit(ofConnections: configuration.maximumConnections),
                    mayBeShared: { $0.protocols == .http2OrHTTP1 })))
    }

    func counts(_ key: PoolKey) -> (idle: Int, waiting: Int, connecting: Int, open: Int) {
        state.withLock { $0.machine.counts(key) }
    }

    // MARK: Exchanges

    /// Gives an exchange a connection, at once or when one is ready.
    func submit(_ exchange: TransportExchange) {
        var started: Effects?
        // With a connection of its own loop, a task that runs on an event loop does not change threads.
        let loop = MultiThreadedEventLoopGroup.currentEventLoop
        let checkout = state.withLock { state in
            let checkout = state.machine.checkout(
                exchange.request.key, exchange, needsFresh: exchange.needsFreshConnection,
                isPreferred: loop.map { loop in { $0.eventLoop === loop } })
            if case .wait(let actions) = checkout { started = Self.prepare(actions, &state, callersLoop: loop) }
            return checkout
        }
        switch checkout {
        case .use(let connection): connection.begin(exchange)
        case .refused: exchange.finish(.failure(Self.shutDownError))
        case .wait:
            exchange.startWaiting(on: timerLoop)
            if let started { perform(started) }
            // It may have been cancelled before it was in the queue.
            if !exchange.isAwaited { withdraw(exchange) }
        }
    }

    /// Removes an exchange that no longer waits.
    func withdraw(_ exchange: TransportExchange) {
        change { $0.withdraw(exchange.request.key, exchange) ?? .init() }
    }

    // MARK: Connections; called on a connection's event loop

    /// Uses a new connection for its first exchange, or closes it if it is no longer needed.
    func connected(_ attempt: ConnectAttempt, _ connection: Connection) {
        let (release, effects) = state.withLock { state -> (Machine.Release?, Effects) in
            guard Self.claim(attempt, &state) else { return (nil, Effects()) }
            let release = state.machine.connected(attempt.key, connection)
            let actions = state.machine.learnedExclusive(attempt.key)
            return (release, Self.prepare(actions, &state))
        }
        perform(effects)
        switch release {
        case .serve(let exchange): connection.begin(exchange)
        case .park: break
        case nil: connection.close()
        case .close(let actions):
            connection.close()
            change { _ in actions }
        }
    }

    /// Uses a new HTTP/2 connection. It starts with one exchange, because the server states its limit a moment later.
    func connectedShared(_ attempt: ConnectAttempt, _ connection: Connection) {
        let (waiters, effects) = state.withLock { state -> ([TransportExchange]?, Effects) in
            guard Self.claim(attempt, &state),
                let (waiters, actions) = state.machine.connectedShared(attempt.key, connection, limit: 1)
            else { return (nil, Effects()) }
            return (waiters, Self.prepare(actions, &state))
        }
        perform(effects)
        guard let waiters else { return connection.close() }
        for waiter in waiters { connection.begin(waiter) }
    }

    /// Applies the number of concurrent exchanges that a server allows on an HTTP/2 connection.
    func changeLimit(_ connection: Connection, to limit: Int) {
        for waiter in state.withLock({ $0.machine.changeLimit(connection, to: limit) }) { connection.begin(waiter) }
    }

    /// Stops new exchanges on an HTTP/2 connection.
    func drain(_ connection: Connection) { change { $0.drain(connection) } }

    /// Ends an exchange of an HTTP/2 connection. Exchanges that waited for its place begin.
    func releaseShared(_ connection: Connection) {
        let (next, closes) = state.withLock { $0.machine.releaseShared(connection) }
        if closes { connection.close() }
        for waiter in next { connection.begin(waiter) }
    }

    func attemptFailed(_ attempt: ConnectAttempt, _ error: ConversationError) {
        // The proxy would send the same challenge to all waiters of this key.
        let isChallenge = (error.underlyingError as? TunnelAnswer)?.head.status == .proxyAuthenticationRequired
        let (failed, effects) = state.withLock { state -> ([TransportExchange], Effects) in
            guard Self.claim(attempt, &state) else { return ([], Effects()) }
            if isChallenge {
                let (waiters, actions) = state.machine.attemptChallenged(attempt.key)
                return (waiters, Self.prepare(actions, &state))
            }
            let (waiter, actions) = state.machine.attemptFailed(attempt.key)
            return (waiter.map { [$0] } ?? [], Self.prepare(actions, &state))
        }
        for exchange in failed { exchange.finish(.failure(error)) }
        perform(effects)
        // Drops the question for a client certificate that its handshake asked.
        attempt.cancel()
    }

    /// Takes back a connection after its exchange. Returns the next exchange to begin at once.
    func release(_ connection: Connection) -> TransportExchange? {
        switch state.withLock({ $0.machine.release(connection.key, connection) }) {
        case .serve(let exchange): return exchange
        case .park: return nil
        case .close(let actions):
            connection.close()
            change { _ in actions }
            return nil
        }
    }

    /// Takes an idle connection out of service. Returns false if an exchange already has it.
    func retire(_ connection: Connection) -> Bool {
        var retired = false
        change { machine in
            let actions = machine.retire(connection.key, connection)
            retired = actions != nil
            return actions ?? .init()
        }
        return retired
    }

    /// Counts a connection no longer, because it has changed to another protocol.
    func detach(_ connection: Connection) { change { $0.detach(connection) } }

    /// Removes a closed connection.
    func closed(_ connection: Connection) {
        change { $0.remove(connection) }
    }

    // MARK: The end

    /// Closes idle connections, waits up to `grace` for the others, then closes those too.
    func shutDown(grace: TimeAmount) async {
        var waiters: [TransportExchange] = []
        change { machine in
            let (waiting, actions) = machine.shutDown()
            waiters = waiting
            return actions
        }
        for waiter in waiters { waiter.finish(.failure(Self.shutDownError)) }
        let timer = timerLoop.scheduleTask(in: grace) { [self] in
            for connection in state.withLock({ $0.machine.openConnections }) { connection.close() }
        }
        await withUnsafeContinuation { continuation in
            let isDrained = state.withLock { state in
                if !state.machine.isDrained { state.drained.append(continuation) }
                return state.machine.isDrained
            }
            if isDrained { continuation.resume() }
        }
        timer.cancel()
    }

    static let shutDownError = ConversationError(
        .shutDown, "The transport was shut down: make a new one for further requests.")

    // MARK: Effects

    private struct Effects {
        var connect: [ConnectAttempt] = []
        var abandon: [ConnectAttempt] = []
        var close: [Connection] = []
        var drained: [UnsafeContinuation<Void, Never>] = []
    }

    private func change(_ body: (inout Machine) -> Machine.Actions) {
        let effects = state.withLock { state in
            let actions = body(&state.machine)
            return Self.prepare(actions, &state)
        }
        perform(effects)
    }

    private static func prepare(
        _ actions: Machine.Actions, _ state: inout State, callersLoop: (any EventLoop)? = nil
    ) -> Effects {
        var effects = Effects(close: actions.close)
        for key in actions.connect {
            let attempt = ConnectAttempt(key: key, callersLoop: callersLoop)
            state.attempts[key, default: []].append(attempt)
            effects.connect.append(attempt)
        }
        for key in actions.abandonAttempts {
            if let attempt = state.attempts[key]?.popLast() { effects.abandon.append(attempt) }
            if state.attempts[key]?.isEmpty == true { state.attempts[key] = nil }
        }
        if state.machine.isShutDown, state.machine.isDrained { swap(&effects.drained, &state.drained) }
        return effects
    }

    private func perform(_ effects: Effects) {
        for connection in effects.close { connection.close() }
        for attempt in effects.abandon { attempt.cancel() }
        for attempt in effects.connect {
            connector.start(attempt, for: self)
            endUnneeded(attempt)
        }
        for continuation in effects.drained { continuation.resume() }
    }

    /// Ends an attempt that takes long, once no exchange needs it any more: its last waiter may have got another
    /// connection.
    private func endUnneeded(_ attempt: ConnectAttempt) {
        timerLoop.scheduleTask(in: unneededAttemptLimit) { [weak self, weak attempt] in
            guard let self, let attempt else { return }
            let effects: Effects? = state.withLock { state in
                let isRunning = state.attempts[attempt.key]?.contains { $0 === attempt } ?? false
                guard isRunning else { return Effects() }
                guard let actions = state.machine.abandonAttempt(attempt.key) else { return nil }
                _ = Self.claim(attempt, &state)
                var effects = Self.prepare(actions, &state)
                effects.abandon.append(attempt)
                return effects
            }
            if let effects { perform(effects) } else { endUnneeded(attempt) }
        }
    }

    /// Removes an attempt, so that it ends only once: made, failed or abandoned. Returns false if it has ended.
    private static func claim(_ attempt: ConnectAttempt, _ state: inout State) -> Bool {
        guard let index = state.attempts[attempt.key]?.firstIndex(where: { $0 === attempt }) else { return false }
        state.attempts[attempt.key]?.remove(at: index)
        if state.attempts[attempt.key]?.isEmpty == true { state.attempts[attempt.key] = nil }
        return true
    }
}
