import NIOCore

/// Decides which exchange gets which connection. Does no I/O and holds no lock.
///
/// A connection is made for every waiting exchange, as far as the limits allow. The first connection that is free
/// serves the exchange that has waited longest. While it is unknown whether exchanges can share a connection (HTTP/2),
/// only one is made. If they can, one is enough until exchanges wait long for a place on it. If attempts take long, one
/// more begins at a time. It may exceed the limit of its origin as long as it is no connection. It may also exceed the
/// limit in total for another origin, until a connection is free: that one closes.
struct PoolStateMachine<Key: Hashable, Connection: AnyObject, Waiter: AnyObject> {
    /// The steps that the caller has to take next.
    struct Actions {
        var connect: [Key] = []
        var close: [Connection] = []
        /// Each number is that among the attempts of the key, the oldest first, without those before it in this list.
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

        /// Whether it needs a connection besides the shared ones, of which the youngest is given.
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

    private let limitPerOrigin: Int
    private let limitInTotal: Int
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
    /// all get it that the attempt was made for. If the attempt exceeded the limit, nobody gets it: the server may
    /// refuse what exceeds a limit of its own.
    mutating func attemptFailed(_ key: Key, _ attempt: Int = 0) -> (waiters: [Waiter], actions: Actions) {
        let exceedsLimit = pools[key].map { $0.count > limitPerOrigin } ?? false
        guard let failed = takeAttempt(key, attempt) else { return ([], Actions()) }
        total -= 1
        var waiters: [Waiter] = []
        if exceedsLimit {
            // Another one begins when they turn out to take long again.
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
    mutating func attemptChallenged(_ key: Key, _ attempt: Int = 0) -> (waiters: [Waiter], actions: Actions) {
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
            // A new one serves the exchange for which it exceeds the limit.
            if !isFresh || next == nil { return .close(remove(connection)) }
        } else if total >= limitInTotal, let starved = oldestStarved(), starved.key != key,
            nextTicket.map({ starved.ticket < $0 }) ?? true
        {
            return .close(remove(connection))
        }
        if let next {
            // Otherwise the oldest one, which needs a new connection, would wait for as long as others come.
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

    // MARK: Growth

    mutating func nextTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    /// Uses freed capacity: lets this pool, or the pool that has waited longest for room, grow.
    mutating func settle(_ key: Key, _ actions: inout Actions) {
        guard !isShutDown else { return }
        while let starved = oldestStarved(), grow(starved.key, &actions) {}
        while grow(key, &actions) {}
        if pools[key]?.isEmpty == true { pools[key] = nil }
    }

    /// Starts a connection if an exchange waits without one. Makes room by closing idle connections.
    ///
    /// - Returns: whether a connection was started
    @discardableResult
    private mutating func grow(_ key: Key, _ actions: inout Actions) -> Bool {
        guard let pool = pools[key], wanted(key, pool) > pool.connecting else { return false }
        if !hasPlace(pool) {
            guard let oldest = oldestIdle(in: CollectionOfOne(pool)) else { return false }
            evict(oldest, &actions)
        } else if total >= limitInTotal {
            if let oldest = oldestIdle(in: pools.values) {
                evict(oldest, &actions)
            } else {
                guard mayExceedTotal(pool) else { return false }
            }
        }
        let began = nextTicket()
        pools[key]?.attempts.append(Attempt(began: began))
        total += 1
        actions.connect.append(key)
        return true
    }

    /// Whether the limit of an origin allows another attempt. One beside an attempt that takes long may exceed it: the
    /// other one may never end.
    private func hasPlace(_ pool: OriginPool) -> Bool {
        pool.count < limitPerOrigin || pool.count == limitPerOrigin && pool.slow > 0
    }

    /// Whether the limit in total allows one more attempt beside an attempt of another origin that takes long: that one
    /// may never end.
    private func mayExceedTotal(_ pool: OriginPool) -> Bool {
        total == limitInTotal && pool.slow == 0 && pools.values.contains { $0.slow > 0 }
    }

    /// Whether a connection that is free has to close, because an exchange needs its place for a new one.
    func mustMakeRoom(in index: Dictionary<Key, OriginPool>.Index) -> Bool {
        // Checked first, because copying the pool costs more than the rest.
        guard !pools.values[index].waiting.isEmpty else { return false }
        let (key, pool) = pools[index]
        return (pool.count >= limitPerOrigin || isFull) && wanted(key, pool) > pool.connecting
    }

    /// Learns that an attempt takes long: another one may begin.
    mutating func attemptIsSlow(_ key: Key, _ attempt: Int = 0) -> Actions {
        var actions = Actions()
        guard pools[key]?.attempts.indices.contains(attempt) == true else { return actions }
        pools[key]?.attempts[attempt].isSlow = true
        settle(key, &actions)
        return actions
    }

    /// Gives up an attempt that takes too long. The caller ends it. Another one begins if an exchange needs it.
    mutating func giveUpAttempt(_ key: Key, _ attempt: Int = 0) -> Actions {
        var actions = Actions()
        guard takeAttempt(key, attempt) != nil else { return actions }
        total -= 1
        settle(key, &actions)
        return actions
    }

    /// Removes an attempt that is over from its pool. Returns nil if there is none.
    mutating func takeAttempt(_ key: Key, _ attempt: Int) -> Attempt? {
        guard pools[key]?.attempts.indices.contains(attempt) == true else { return nil }
        return pools[key]?.attempts.remove(at: attempt)
    }

    /// The number of attempts that there may be.
    private func wanted(_ key: Key, _ pool: OriginPool) -> Int {
        let needed = needed(key, pool)
        let slow = pool.slow
        // One more at a time, because the server may only have too much to do.
        return needed == 0 || slow == 0 ? needed : max(needed, slow) + 1
    }

    /// The number of attempts that the waiters need.
    private func needed(_ key: Key, _ pool: OriginPool) -> Int {
        switch sharing(key) {
        case .never: return pool.waiting.count
        case .unknown: return min(1, pool.waiting.count)
        case .always:
            // One attempt at a time is enough for all.
            guard let first = pool.waiting.first else { return 0 }
            let youngest = pool.youngestShared
            if let youngest, max(youngest, first.ticket) < pool.longWait { return 1 }
            return pool.waiting.contains { $0.needsAttempt(besides: youngest) } ? 1 : 0
        }
    }

    func sharing(_ key: Key) -> Sharing {
        guard mayBeShared(key) else { return .never }
        return areShared[key].map { $0 ? .always : .never } ?? .unknown
    }

    mutating func learn(_ key: Key, isShared: Bool) {
        if areShared.count >= 1000 { areShared = [:] }
        areShared[key] = isShared
    }

    /// Abandons attempts that no exchange needs: the youngest ones, because the others have got further. Attempts that
    /// take long are the last, because the server may need that time. As long as an exchange waits, another one stays
    /// beside them.
    mutating func abandonSurplus(_ key: Key, _ actions: inout Actions) {
        while let pool = pools[key], pool.connecting > wanted(key, pool) {
            abandon(key, pool.attempts.lastIndex { !$0.isSlow } ?? pool.connecting - 1, &actions)
        }
    }

    private mutating func abandon(_ key: Key, _ number: Int, _ actions: inout Actions) {
        guard takeAttempt(key, number) != nil else { return }
        total -= 1
        actions.abandonAttempts.append((key, number))
    }

    private mutating func evict(_ connection: Connection, _ actions: inout Actions) {
        guard let key = owners.removeValue(forKey: ObjectIdentifier(connection))?.key else { return }
        pools[key]?.open -= 1
        pools[key]?.idle.removeAll { $0.connection === connection }
        pools[key]?.shared.removeAll { $0.connection === connection }
        if pools[key]?.isEmpty == true { pools[key] = nil }
        total -= 1
        actions.close.append(connection)
    }

    private func oldestIdle(in pools: some Collection<OriginPool>) -> Connection? {
        var oldest: (connection: Connection, since: UInt64)?
        for pool in pools {
            let shared = pool.shared.lazy.filter { $0.active == 0 }.map { ($0.connection, $0.since) }
            for idle in pool.idle.prefix(1).map({ ($0.connection, $0.since) }) + shared
            where oldest.map({ idle.1 < $0.since }) ?? true { oldest = idle }
        }
        return oldest?.connection
    }

    /// The pool whose exchange has waited longest, among those whose own limit allows a connection. Pools whose attempts
    /// take long come last.
    func oldestStarved() -> (key: Key, ticket: UInt64)? {
        var oldest: (key: Key, ticket: UInt64, isSlow: Bool)?
        // A service may have a pool for each of its users, nearly all without waiters: those are not copied.
        for index in pools.indices where !pools.values[index].waiting.isEmpty {
            let (key, pool) = pools[index]
            guard wanted(key, pool) > pool.connecting, hasPlace(pool) else { continue }
            // The waiters before this one have attempts that do not take long.
            let served = pool.connecting - pool.slow
            let ticket = pool.waiting[pool.waiting.index(pool.waiting.startIndex, offsetBy: served)].ticket
            let isSlow = pool.slow > 0
            if oldest.map({ $0.isSlow == isSlow ? ticket < $0.ticket : $0.isSlow }) ?? true {
                oldest = (key, ticket, isSlow)
            }
        }
        return oldest.map { ($0.key, $0.ticket) }
    }
}
