import NIOCore

/// Decides which exchange gets which connection. Does no I/O and holds no lock.
///
/// A connection is made for every waiting exchange, as far as the limits allow. The first connection that is free
/// serves the exchange that has waited longest. While it is unknown whether exchanges can share a connection (HTTP/2),
/// only one is made. If they can, one is enough until exchanges wait long for a place on it. If attempts take long, one
/// more begins at a time. It may exceed the limit of its origin until it has become a connection. For another origin it
/// may also exceed the limit in total, until a connection is free and closes.
struct PoolStateMachine<Key: Hashable, Connection: AnyObject, Waiter: AnyObject> {
    /// The steps that the caller has to take next.
    struct Actions {
        var connect: [Key] = []
        var close: [Connection] = []
        /// Each number is the place among the key's attempts, the oldest first, after the removal of those before it in
        /// this list.
        var abandonAttempts: [(key: Key, number: Int)] = []
    }

    enum Checkout {
        case use(Connection)
        case wait(Actions)
        case refused
    }

    enum Release {
        case serve(Waiter)
        case park
        case close(Actions)
    }

    struct Queued {
        let waiter: Waiter
        let ticket: UInt64
        let needsFresh: Bool

        /// Whether it needs a connection besides the shared ones. `youngest` is the ticket of the youngest of these.
        func needsAttempt(besides youngest: UInt64?) -> Bool { youngest.map { needsFresh && ticket > $0 } ?? true }
    }

    /// A connection for many exchanges at the same time.
    struct Shared {
        let connection: Connection
        var active = 0
        var limit: Int
        /// Whether new exchanges are forbidden.
        var isDraining = false
        /// Whether it has to be closed after its last exchange. Others that are draining close by themselves.
        var closesWhenIdle = false
        var since: UInt64 = 0
        /// The ticket of its creation. A waiter with an older ticket takes it for a fresh connection.
        var born: UInt64 = 0

        var hasRoom: Bool { !isDraining && active < limit }
    }

    /// An attempt to make a connection.
    struct Attempt {
        /// The ticket of its beginning. It was made for waiters with older tickets.
        let began: UInt64
        /// Whether it takes so long that another one may begin.
        var isSlow = false
    }

    struct OriginPool {
        var idle: [(connection: Connection, since: UInt64)] = []
        var shared: [Shared] = []
        var waiting = CircularBuffer<Queued>()
        /// The attempts to make connections, the oldest first.
        var attempts: [Attempt] = []
        /// The number of open connections, idle or busy.
        var open = 0
        /// The ticket of the last time at which an exchange had waited long for a place on a shared connection.
        var longWait: UInt64 = 0
        /// The ticket of the last failure of an attempt, if exchanges share connections.
        var lastFailure: UInt64 = 0

        var connecting: Int { attempts.count }
        var slow: Int { attempts.count(where: \.isSlow) }
        var count: Int { connecting + open }
        var isEmpty: Bool { count == 0 && waiting.isEmpty }
        /// The ticket of the youngest shared connection that takes new exchanges.
        var youngestShared: UInt64? { shared.lazy.filter { !$0.isDraining }.map(\.born).max() }
    }

    /// Whether a key's connections are shared.
    enum Sharing { case never, unknown, always }

    let limitPerOrigin: Int
    let limitInTotal: Int
    private let mayBeShared: (Key) -> Bool
    /// Whether the connections of a key turned out to be shared, if they may be.
    private var areShared: [Key: Bool] = [:]
    var pools: [Key: OriginPool] = [:]
    var owners: [ObjectIdentifier: (connection: Connection, key: Key)] = [:]
    /// Connections that have changed to another protocol. They serve one exchange until they end.
    private var detached: [ObjectIdentifier: Connection] = [:]
    var total = 0
    private var lastTicket: UInt64 = 0
    private(set) var isShutDown = false

    init(limitPerOrigin: Int, limitInTotal: Int, mayBeShared: @escaping (Key) -> Bool = { _ in false }) {
        self.mayBeShared = mayBeShared
        self.limitPerOrigin = max(1, limitPerOrigin)
        self.limitInTotal = max(1, limitInTotal)
    }

    /// Whether no connection is open or being made.
    var isDrained: Bool { total == 0 && detached.isEmpty }
    var isFull: Bool { total >= limitInTotal }
    /// Whether an attempt has exceeded the limit, and no connection has been closed for it.
    var exceedsTotal: Bool { total > limitInTotal }
    var openConnections: [Connection] { owners.values.map(\.connection) + detached.values }

    func counts(_ key: Key) -> (idle: Int, waiting: Int, connecting: Int, open: Int) {
        guard let pool = pools[key] else { return (0, 0, 0, 0) }
        return (pool.idle.count, pool.waiting.count, pool.connecting, pool.open)
    }

    /// Why exchanges of a key wait, if no connection is being made for them.
    func shortage(_ key: Key) -> ConnectionShortage? {
        guard let pool = pools[key], !pool.waiting.isEmpty, pool.connecting == 0 else { return nil }
        if pool.open < limitPerOrigin { return isFull ? .inTotal(connections: total) : nil }
        let alone = pool.open - pool.shared.count - pool.idle.count
        return .atServer(connections: pool.open, exchanges: pool.shared.reduce(alone) { $0 + $1.active })
    }

    /// The exchanges that wait, the oldest first.
    func waiters(_ key: Key) -> [Waiter] { pools[key]?.waiting.map(\.waiter) ?? [] }

    // MARK: Exchanges

    /// Gives an exchange the most recently used connection, or a place in the queue.
    ///
    /// - Parameter isPreferred: whether a connection comes before others
    mutating func checkout(
        _ key: Key, _ waiter: Waiter, needsFresh: Bool = false, isPreferred: ((Connection) -> Bool)? = nil
    ) -> Checkout {
        guard !isShutDown else { return .refused }
        // Looked up once, because this runs before every exchange.
        if !needsFresh, let pool = pools.index(forKey: key) {
            if let isPreferred,
                let index = pools.values[pool].idle.lastIndex(where: { isPreferred($0.connection) })
            {
                return .use(pools.values[pool].idle.remove(at: index).connection)
            }
            if let idle = pools.values[pool].idle.popLast() { return .use(idle.connection) }
            if let connection = claimShared(in: pool) { return .use(connection) }
        }
        let queued = Queued(waiter: waiter, ticket: nextTicket(), needsFresh: needsFresh)
        pools[key, default: OriginPool()].waiting.append(queued)
        var actions = Actions()
        grow(key, &actions)
        return .wait(actions)
    }

    /// Removes a waiting exchange. Attempts that it alone needed are abandoned.
    mutating func withdraw(_ key: Key, _ waiter: Waiter) -> Actions? {
        guard let index = pools[key]?.waiting.firstIndex(where: { $0.waiter === waiter }) else { return nil }
        pools[key]?.waiting.remove(at: index)
        var actions = Actions()
        abandonSurplus(key, &actions)
        settle(key, &actions)
        return actions
    }

    // MARK: Connections

    /// Adds a new connection.
    ///
    /// - Parameter attempt: the number of its attempt among those of the key, the oldest first
    mutating func connected(_ key: Key, _ connection: Connection, of attempt: Int = 0) -> Release {
        _ = takeAttempt(key, attempt)
        pools[key, default: OriginPool()].open += 1
        owners[ObjectIdentifier(connection)] = (connection, key)
        return release(key, connection, isFresh: true)
    }

    /// Learns from a new connection that those of its key serve one exchange at a time: as many are made as exchanges
    /// wait. Abandons the attempt that exceeds the limit together with it.
    mutating func learnedExclusive(_ key: Key) -> Actions {
        var actions = Actions()
        while let pool = pools[key], pool.count > limitPerOrigin, pool.connecting > 0 {
            // One that takes long may never end.
            abandon(key, pool.attempts.firstIndex(where: \.isSlow) ?? pool.connecting - 1, &actions)
        }
        let isNew = mayBeShared(key) && areShared[key] != false
        if isNew { learn(key, isShared: false) }
        if isNew || !actions.abandonAttempts.isEmpty { settle(key, &actions) }
        return actions
    }

    /// Handles a failed attempt. The exchange that has waited longest gets the error. If exchanges share connections,
    /// every exchange that the attempt was made for gets it. If the attempt exceeded the limit, no exchange gets it:
    /// the server may have a limit of its own.
    mutating func attemptFailed(_ key: Key, _ attempt: Int = 0) -> (waiters: [Waiter], actions: Actions) {
        let exceedsLimit = pools[key].map { $0.count > limitPerOrigin } ?? false
        guard let failed = takeAttempt(key, attempt) else { return ([], Actions()) }
        total -= 1
        var waiters: [Waiter] = []
        if exceedsLimit {
            // Another attempt begins only when these take long again.
            for index in pools[key]?.attempts.indices ?? 0..<0 { pools[key]?.attempts[index].isSlow = false }
        } else {
            waiters = takeFailed(key, failed)
            // The others get their errors at the same time, not one after the other.
            if mayBeShared(key), areShared[key] == nil { learn(key, isShared: false) }
        }
        var actions = Actions()
        settle(key, &actions)
        return (waiters, actions)
    }

    private mutating func takeFailed(_ key: Key, _ failed: Attempt) -> [Waiter] {
        guard let pool = pools[key] else { return [] }
        guard sharing(key) == .always else { return pools[key]?.waiting.popFirst().map { [$0.waiter] } ?? [] }
        // Exchanges that wait for a place go on. They need another attempt only if they wait long again.
        let now = nextTicket()
        pools[key]?.longWait = 0
        pools[key]?.lastFailure = now
        let youngest = pool.youngestShared
        let isAffected = { (queued: Queued) in queued.ticket < failed.began && queued.needsAttempt(besides: youngest) }
        pools[key]?.waiting.removeAll(where: isAffected)
        return pool.waiting.filter(isAffected).map(\.waiter)
    }

    /// Handles a proxy's challenge. All waiters get it, and other attempts for them are abandoned.
    mutating func attemptChallenged(_ key: Key, _ attempt: Int) -> (waiters: [Waiter], actions: Actions) {
        if takeAttempt(key, attempt) != nil { total -= 1 }
        let waiters = waiters(key)
        pools[key]?.waiting.removeAll()
        var actions = Actions()
        abandonSurplus(key, &actions)
        settle(key, &actions)
        return (waiters, actions)
    }

    /// Takes back a connection that can serve another exchange.
    mutating func release(_ key: Key, _ connection: Connection, isFresh: Bool = false) -> Release {
        guard !isShutDown else { return .close(remove(connection)) }
        // Looked up once, because this runs after every exchange.
        guard let pool = pools.index(forKey: key) else { return .close(remove(connection)) }
        let next = pools.values[pool].waiting.firstIndex { isFresh || !$0.needsFresh }
        let nextTicket = next.map { pools.values[pool].waiting[$0].ticket }
        if exceedsTotal {
            // A new connection serves the exchange for which it exceeds the limit.
            if !isFresh || next == nil { return .close(remove(connection)) }
        } else if total >= limitInTotal, let starved = oldestStarved(), starved.key != key,
            nextTicket.map({ starved.ticket < $0 }) ?? true
        {
            return .close(remove(connection))
        }
        if let next {
            // Otherwise the oldest exchange, which needs a new connection, would wait for as long as others come.
            let isPassedOver = next != pools.values[pool].waiting.startIndex
            if isPassedOver, pools.values[pool].attempts.allSatisfy(\.isSlow), mustMakeRoom(in: pool) {
                return .close(remove(connection))
            }
            return .serve(pools.values[pool].waiting.remove(at: next).waiter)
        }
        if mustMakeRoom(in: pool) { return .close(remove(connection)) }
        let since = self.nextTicket()
        pools.values[pool].idle.append((connection, since))
        return .park
    }

    /// Removes a connection that was idle for too long. Returns nil if an exchange already has it.
    mutating func retire(_ key: Key, _ connection: Connection) -> Actions? {
        let isIdle =
            pools[key]?.idle.contains { $0.connection === connection } == true
            || pools[key]?.shared.contains { $0.connection === connection && $0.active == 0 } == true
        return isIdle ? remove(connection) : nil
    }

    /// Stops counting a connection that has changed to another protocol, and keeps it for ``shutDown()``.
    mutating func detach(_ connection: Connection) -> Actions {
        let actions = remove(connection)
        detached[ObjectIdentifier(connection)] = connection
        return actions
    }

    /// Removes a connection that is closed. May be called again.
    mutating func remove(_ connection: Connection) -> Actions {
        var actions = Actions()
        detached[ObjectIdentifier(connection)] = nil
        guard let key = owners.removeValue(forKey: ObjectIdentifier(connection))?.key else { return actions }
        pools[key]?.open -= 1
        pools[key]?.idle.removeAll { $0.connection === connection }
        pools[key]?.shared.removeAll { $0.connection === connection }
        total -= 1
        settle(key, &actions)
        return actions
    }

    /// Refuses all exchanges from now on. Returns the waiters and the connections that have to end at once.
    mutating func shutDown() -> (waiters: [Waiter], actions: Actions) {
        isShutDown = true
        var waiters: [Waiter] = []
        var actions = Actions()
        for (key, pool) in pools {
            waiters += pool.waiting.map(\.waiter)
            actions.close += pool.idle.map(\.connection)
            actions.close += pool.shared.filter { $0.active == 0 }.map(\.connection)
            actions.abandonAttempts += Array(repeating: (key, 0), count: pool.connecting)
            total -= pool.connecting
            pools[key]?.waiting.removeAll()
            pools[key]?.attempts.removeAll()
        }
        return (waiters, actions)
    }

    // MARK: Tickets and sharing

    mutating func nextTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    func sharing(_ key: Key) -> Sharing {
        guard mayBeShared(key) else { return .never }
        return areShared[key].map { $0 ? .always : .never } ?? .unknown
    }

    mutating func learn(_ key: Key, isShared: Bool) {
        if areShared.count >= 1000 { areShared = [:] }
        areShared[key] = isShared
    }
}
