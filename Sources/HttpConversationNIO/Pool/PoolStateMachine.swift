import NIOCore

/// Decides who gets which connection; does no I/O and holds no lock.
///
/// Every waiting exchange is matched by a connection that is being made, as far as the limits allow. Whichever
/// connection is free first serves whoever came first.
struct PoolStateMachine<Key: Hashable, Connection: AnyObject, Waiter: AnyObject> {
    /// What the caller has to do next.
    struct Actions {
        var connect: [Key] = []
        var close: [Connection] = []
        var abandonAttempts: [Key] = []
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
    }

    struct OriginPool {
        var idle: [(connection: Connection, since: UInt64)] = []
        var waiting = CircularBuffer<Queued>()
        var connecting = 0
        /// Idle and busy ones.
        var open = 0

        var count: Int { connecting + open }
        var isEmpty: Bool { count == 0 && waiting.isEmpty }
    }

    private let limitPerOrigin: Int
    private let limitInTotal: Int
    private var pools: [Key: OriginPool] = [:]
    private var owners: [ObjectIdentifier: (connection: Connection, key: Key)] = [:]
    private var total = 0
    private var lastTicket: UInt64 = 0
    private(set) var isShutDown = false

    init(limitPerOrigin: Int, limitInTotal: Int) {
        self.limitPerOrigin = max(1, limitPerOrigin)
        self.limitInTotal = max(1, limitInTotal)
    }

    /// No connection is open or being made.
    var isDrained: Bool { total == 0 }
    var openConnections: [Connection] { owners.values.map(\.connection) }

    func counts(_ key: Key) -> (idle: Int, waiting: Int, connecting: Int, open: Int) {
        guard let pool = pools[key] else { return (0, 0, 0, 0) }
        return (pool.idle.count, pool.waiting.count, pool.connecting, pool.open)
    }

    // MARK: Exchanges

    /// An exchange wants a connection: the most recently used one, or a place in the queue.
    mutating func checkout(_ key: Key, _ waiter: Waiter, needsFresh: Bool = false) -> Checkout {
        guard !isShutDown else { return .refused }
        if !needsFresh, let idle = pools[key]?.idle.popLast() { return .use(idle.connection) }
        let queued = Queued(waiter: waiter, ticket: nextTicket(), needsFresh: needsFresh)
        pools[key, default: OriginPool()].waiting.append(queued)
        var actions = Actions()
        grow(key, &actions)
        return .wait(actions)
    }

    /// A waiting exchange gave up. What was being made for it alone is abandoned.
    mutating func withdraw(_ key: Key, _ waiter: Waiter) -> Actions? {
        guard let index = pools[key]?.waiting.firstIndex(where: { $0.waiter === waiter }) else { return nil }
        pools[key]?.waiting.remove(at: index)
        var actions = Actions()
        if let pool = pools[key], pool.connecting > pool.waiting.count {
            pools[key]?.connecting -= 1
            total -= 1
            actions.abandonAttempts.append(key)
        }
        settle(key, &actions)
        return actions
    }

    // MARK: Connections

    /// A new connection is ready.
    mutating func connected(_ key: Key, _ connection: Connection) -> Release {
        pools[key, default: OriginPool()].connecting -= 1
        pools[key]?.open += 1
        owners[ObjectIdentifier(connection)] = (connection, key)
        return release(key, connection, isFresh: true)
    }

    /// A connection could not be made: the one who waits longest learns why.
    mutating func attemptFailed(_ key: Key) -> (waiter: Waiter?, actions: Actions) {
        pools[key]?.connecting -= 1
        total -= 1
        let waiter = pools[key]?.waiting.popFirst()?.waiter
        var actions = Actions()
        settle(key, &actions)
        return (waiter, actions)
    }

    /// An exchange is over and its connection can serve another.
    mutating func release(_ key: Key, _ connection: Connection, isFresh: Bool = false) -> Release {
        guard !isShutDown else { return .close(remove(connection)) }
        let next = pools[key]?.waiting.firstIndex { isFresh || !$0.needsFresh }
        let nextTicket = next.flatMap { pools[key]?.waiting[$0].ticket }
        if total >= limitInTotal, let starved = oldestStarved(), starved.key != key,
            nextTicket.map({ starved.ticket < $0 }) ?? true
        {
            return .close(remove(connection))
        }
        if let next, let queued = pools[key]?.waiting.remove(at: next) { return .serve(queued.waiter) }
        let since = self.nextTicket()
        pools[key]?.idle.append((connection, since))
        return .park
    }

    /// Takes a connection out because it was idle for too long; false where somebody has it by now.
    mutating func retire(_ key: Key, _ connection: Connection) -> Actions? {
        guard pools[key]?.idle.contains(where: { $0.connection === connection }) == true else { return nil }
        return remove(connection)
    }

    /// A connection is gone, for whatever reason. Harmless when repeated.
    mutating func remove(_ connection: Connection) -> Actions {
        var actions = Actions()
        guard let key = owners.removeValue(forKey: ObjectIdentifier(connection))?.key else { return actions }
        pools[key]?.open -= 1
        pools[key]?.idle.removeAll { $0.connection === connection }
        total -= 1
        settle(key, &actions)
        return actions
    }

    /// From here on nothing is accepted. Returns what has to end at once.
    mutating func shutDown() -> (waiters: [Waiter], actions: Actions) {
        isShutDown = true
        var waiters: [Waiter] = []
        var actions = Actions()
        for (key, pool) in pools {
            waiters += pool.waiting.map(\.waiter)
            actions.close += pool.idle.map(\.connection)
            actions.abandonAttempts += Array(repeating: key, count: pool.connecting)
            total -= pool.connecting
            pools[key]?.waiting.removeAll()
            pools[key]?.connecting = 0
        }
        return (waiters, actions)
    }

    // MARK: Growth

    private mutating func nextTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    /// Something became free: this pool, or the one that waits longest for room, may grow.
    private mutating func settle(_ key: Key, _ actions: inout Actions) {
        guard !isShutDown else { return }
        while total < limitInTotal, let starved = oldestStarved() { grow(starved.key, &actions) }
        grow(key, &actions)
        if pools[key]?.isEmpty == true { pools[key] = nil }
    }

    /// Starts a connection where an exchange waits without one, making room among idle ones.
    private mutating func grow(_ key: Key, _ actions: inout Actions) {
        guard let pool = pools[key], pool.waiting.count > pool.connecting else { return }
        if pool.count >= limitPerOrigin {
            guard let oldest = pool.idle.first?.connection else { return }
            evict(oldest, &actions)
        } else if total >= limitInTotal {
            guard let oldest = oldestIdle() else { return }
            evict(oldest, &actions)
        }
        pools[key]?.connecting += 1
        total += 1
        actions.connect.append(key)
    }

    private mutating func evict(_ connection: Connection, _ actions: inout Actions) {
        guard let key = owners.removeValue(forKey: ObjectIdentifier(connection))?.key else { return }
        pools[key]?.open -= 1
        pools[key]?.idle.removeAll { $0.connection === connection }
        if pools[key]?.isEmpty == true { pools[key] = nil }
        total -= 1
        actions.close.append(connection)
    }

    private func oldestIdle() -> Connection? {
        pools.values.compactMap(\.idle.first).min { $0.since < $1.since }?.connection
    }

    /// The pool whose exchange waits longest although its own limit would allow a connection.
    private func oldestStarved() -> (key: Key, ticket: UInt64)? {
        var oldest: (key: Key, ticket: UInt64)?
        for (key, pool) in pools where pool.waiting.count > pool.connecting && pool.count < limitPerOrigin {
            let ticket = pool.waiting[pool.waiting.index(pool.waiting.startIndex, offsetBy: pool.connecting)].ticket
            if oldest.map({ ticket < $0.ticket }) ?? true { oldest = (key, ticket) }
        }
        return oldest
    }
}
