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
    /// The time after which another attempt may begin beside one, or an exchange has waited long.
    let slowAttemptTime: TimeAmount
    /// The time after which an attempt ends.
    private let attemptLimit: TimeAmount

    init(configuration: NIOTransport.Configuration, connector: any ConnectionMaker) {
        self.connector = connector
        timerLoop = connector.loops.first
        attemptLimit = TimeAmount(configuration.attemptLimit)
        slowAttemptTime = min(TimeAmount(configuration.slowAttemptTime), attemptLimit)
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

    func shortage(_ key: PoolKey) -> ConnectionShortage? { state.withLock { $0.machine.shortage(key) } }

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

    /// Learns that an exchange has waited long for a connection.
    ///
    /// - Parameter last: the result of the last call for the exchange; 0 before
    /// - Returns: the ticket of this call
    func waitsLong(_ exchange: TransportExchange, since last: UInt64) -> UInt64 {
        var ticket: UInt64 = 0
        change { machine in
            let (now, actions) = machine.waitsLong(exchange.request.key, since: last)
            ticket = now
            return actions
        }
        return ticket
    }

    // MARK: Connections; called on a connection's event loop

    /// Uses a new connection for its first exchange, or closes it if it is no longer needed.
    func connected(_ attempt: ConnectAttempt, _ connection: Connection) {
        let (release, effects) = state.withLock { state -> (Machine.Release?, [Effects]) in
            guard let number = Self.claim(attempt, &state) else { return (nil, []) }
            let release = state.machine.connected(attempt.key, connection, of: number)
            // In the order of the decisions, and before the next one: both keep the same list of attempts.
            var effects: [Effects] = []
            if case .close(let actions) = release { effects.append(Self.prepare(actions, &state)) }
            let actions = state.machine.learnedExclusive(attempt.key)
            effects.append(Self.prepare(actions, &state))
            return (release, effects)
        }
        for effects in effects { perform(effects) }
        switch release {
        case .serve(let exchange): connection.begin(exchange)
        case .park: break
        case .close, nil: connection.close()
        }
    }

    /// Uses a new HTTP/2 connection. It starts with one exchange, because the server states its limit a moment later.
    func connectedShared(_ attempt: ConnectAttempt, _ connection: Connection) {
        let (waiters, effects) = state.withLock { state -> ([TransportExchange]?, Effects) in
            guard let number = Self.claim(attempt, &state),
                let (waiters, actions) = state.machine.connectedShared(attempt.key, connection, limit: 1, of: number)
            else { return (nil, Effects()) }
            return (waiters, Self.prepare(actions, &state))
        }
        perform(effects)
        guard let waiters else { return connection.close() }
        for waiter in waiters { connection.begin(waiter) }
    }

    /// Applies the number of concurrent exchanges that a server allows on an HTTP/2 connection.
    func changeLimit(_ connection: Connection, to limit: Int) {
        let (next, closes) = state.withLock { $0.machine.changeLimit(connection, to: limit) }
        if closes { connection.close() }
        for waiter in next { connection.begin(waiter) }
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
            guard let number = Self.claim(attempt, &state) else { return ([], Effects()) }
            let (waiters, actions) =
                isChallenge
                ? state.machine.attemptChallenged(attempt.key, number)
                : state.machine.attemptFailed(attempt.key, number)
            return (waiters, Self.prepare(actions, &state))
        }
        for exchange in failed { exchange.finish(.failure(error)) }
        perform(effects)
        // Drops the question for a client certificate that its handshake asked.
        attempt.cancel()
    }

    /// Takes back a connection after its exchange. Returns the next exchange to begin at once.
    func release(_ connection: Connection) -> TransportExchange? {
        let (release, effects) = state.withLock { state -> (Machine.Release, Effects?) in
            let release = state.machine.release(connection.key, connection)
            guard case .close(let actions) = release else { return (release, nil) }
            return (release, Self.prepare(actions, &state))
        }
        if case .serve(let exchange) = release { return exchange }
        if let effects {
            connection.close()
            perform(effects)
        }
        return nil
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

    /// Takes a connection out of service on which its server refused a request (421). It ends with its last exchange.
    func dismiss(_ connection: Connection) {
        var isIdle = false
        change { machine in
            guard let actions = machine.retire(connection.key, connection) else {
                return machine.drain(connection, closesWhenIdle: true)
            }
            isIdle = true
            return actions
        }
        if isIdle { connection.close() }
    }

    /// Stops counting a connection that has changed to another protocol.
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
        // New ones are behind all others, so the numbers of those do not change.
        for (key, number) in actions.abandonAttempts {
            guard let attempts = state.attempts[key], attempts.indices.contains(number) else { continue }
            if claim(attempts[number], &state) != nil { effects.abandon.append(attempts[number]) }
        }
        if state.machine.isShutDown, state.machine.isDrained { swap(&effects.drained, &state.drained) }
        return effects
    }

    private func perform(_ effects: Effects) {
        for connection in effects.close { connection.close() }
        for attempt in effects.abandon { attempt.cancel() }
        for attempt in effects.connect {
            watch(attempt)
            connector.start(attempt, for: self)
        }
        for continuation in effects.drained { continuation.resume() }
    }

    // MARK: Attempts

    /// Watches an attempt: when it takes long, another one may begin, and when it takes too long, it ends. A peer may
    /// accept a connection and then be silent.
    ///
    /// - Parameter lasted: the time that it has taken
    private func watch(_ attempt: ConnectAttempt, after lasted: TimeAmount = .zero) {
        let next = [slowAttemptTime, attemptLimit].first { $0 > lasted } ?? lasted + slowAttemptTime
        let asked = attempt.askedTime
        attempt.watched(
            by: timerLoop.scheduleTask(in: next - lasted) { [weak self, weak attempt] in
                guard let self, let attempt else { return }
                // The time in which somebody is asked does not count.
                let isAsking = attempt.isChecking || attempt.askedTime > asked
                look(at: attempt, after: isAsking ? lasted : next)
            })
    }

    private func look(at attempt: ConnectAttempt, after lasted: TimeAmount) {
        let (effects, goesOn) = state.withLock { state -> (Effects, Bool) in
            guard let number = Self.number(of: attempt, state) else { return (Effects(), false) }
            if lasted < slowAttemptTime { return (Effects(), true) }
            if lasted < attemptLimit || Self.isStillWanted(attempt, after: lasted, state) {
                let actions = state.machine.attemptIsSlow(attempt.key, number)
                return (Self.prepare(actions, &state), true)
            }
            _ = Self.claim(attempt, &state)
            let actions = state.machine.giveUpAttempt(attempt.key, number)
            var effects = Self.prepare(actions, &state)
            effects.abandon.append(attempt)
            return (effects, false)
        }
        perform(effects)
        if goesOn { watch(attempt, after: lasted) }
    }

    /// Whether an attempt goes on although it takes too long: callers want to wait longer, and the server may need that
    /// time. It is the oldest one. Others are made beside it, and end.
    private static func isStillWanted(
        _ attempt: ConnectAttempt, after lasted: TimeAmount, _ state: State
    ) -> Bool {
        guard state.attempts[attempt.key]?.first === attempt else { return false }
        return state.machine.waiters(attempt.key).contains { $0.request.connectTimeout > lasted }
    }

    /// The number of an attempt among those of its key, the oldest first: the machine keeps the same order. Returns nil
    /// if it is over.
    private static func number(of attempt: ConnectAttempt, _ state: State) -> Int? {
        state.attempts[attempt.key]?.firstIndex { $0 === attempt }
    }

    /// Removes an attempt, so that it ends only once: made, failed or abandoned. Returns its number, or nil if it has
    /// ended.
    private static func claim(_ attempt: ConnectAttempt, _ state: inout State) -> Int? {
        guard let number = number(of: attempt, state) else { return nil }
        state.attempts[attempt.key]?.remove(at: number)
        if state.attempts[attempt.key]?.isEmpty == true { state.attempts[attempt.key] = nil }
        return number
    }
}
