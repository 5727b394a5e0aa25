/// Connections that serve many exchanges at the same time (HTTP/2).
extension PoolStateMachine {
    typealias Place = (pool: Dictionary<Key, OriginPool>.Index, index: Int)

    /// Claims a place on a shared connection.
    mutating func claimShared(in pool: Dictionary<Key, OriginPool>.Index) -> Connection? {
        guard let index = pools.values[pool].shared.firstIndex(where: \.hasRoom) else { return nil }
        pools.values[pool].shared[index].active += 1
        return pools.values[pool].shared[index].connection
    }

    /// Adds a new connection that serves up to `limit` exchanges at a time. Returns nil if it is no longer needed.
    ///
    /// - Parameter attempt: the number of its attempt among those of the key, the oldest first
    mutating func connectedShared(
        _ key: Key, _ connection: Connection, limit: Int, of attempt: Int = 0
    ) -> (waiters: [Waiter], actions: Actions)? {
        _ = takeAttempt(key, attempt)
        guard !isShutDown else {
            total -= 1
            if pools[key]?.isEmpty == true { pools[key] = nil }
            return nil
        }
        learn(key, isShared: true)
        pools[key, default: OriginPool()].open += 1
        owners[ObjectIdentifier(connection)] = (connection, key)
        let now = nextTicket()
        pools[key]?.shared.append(Shared(connection: connection, limit: limit, since: now, born: now))
        let waiters = place(of: connection).map { serve($0) } ?? []
        var actions = Actions()
        abandonSurplus(key, &actions)
        settle(key, &actions)
        return (waiters, actions)
    }

    /// Applies the number of exchanges that the server allows.
    ///
    /// - Returns: the exchanges that begin, and whether the connection should close
    mutating func changeLimit(_ connection: Connection, to limit: Int) -> (next: [Waiter], closes: Bool) {
        guard let place = place(of: connection) else { return ([], false) }
        pools.values[place.pool].shared[place.index].limit = limit
        return (serve(place), isInTheWay(place))
    }

    /// Whether a connection serves nobody, and keeps others from getting one.
    private func isInTheWay(_ place: Place) -> Bool {
        guard isFull, case let shared = pools.values[place.pool].shared[place.index] else { return false }
        return shared.active == 0 && shared.limit == 0 && oldestStarved() != nil
    }

    /// Learns that an exchange has waited long for a place on a shared connection: those of others may never end.
    /// Another connection is made. If the last attempt failed, a whole wait has to pass first.
    ///
    /// - Parameter last: the ticket of the last call for the exchange, from which it has waited; 0: there was none
    /// - Returns: the ticket of this call
    mutating func waitsLong(_ key: Key, since last: UInt64) -> (now: UInt64, actions: Actions) {
        var actions = Actions()
        let now = nextTicket()
        guard sharing(key) == .always, let pool = pools[key], !pool.waiting.isEmpty, last >= pool.lastFailure
        else { return (now, actions) }
        pools[key]?.longWait = now
        settle(key, &actions)
        return (now, actions)
    }

    /// Stops new exchanges on a connection. Waiting ones get another connection.
    ///
    /// - Parameter closesWhenIdle: whether the pool closes it after its last exchange
    mutating func drain(_ connection: Connection, closesWhenIdle: Bool = false) -> Actions {
        var actions = Actions()
        guard let place = place(of: connection) else { return actions }
        pools.values[place.pool].shared[place.index].isDraining = true
        if closesWhenIdle { pools.values[place.pool].shared[place.index].closesWhenIdle = true }
        settle(pools[place.pool].key, &actions)
        return actions
    }

    /// Ends an exchange on a shared connection.
    ///
    /// - Returns: the exchanges that begin in its place, and whether the connection should close
    mutating func releaseShared(_ connection: Connection) -> (next: [Waiter], closes: Bool) {
        // Looked up once, because this runs after every exchange.
        guard let place = place(of: connection) else { return ([], false) }
        pools.values[place.pool].shared[place.index].active -= 1
        if pools.values[place.pool].shared[place.index].active == 0 {
            pools.values[place.pool].shared[place.index].since = nextTicket()
            if isShutDown { return ([], true) }
            if exceedsTotal || isFull && isStarving(others: place.pool) { return ([], true) }
        }
        let next = serve(place)
        let isIdle = pools.values[place.pool].shared[place.index].active == 0
        let closesWhenIdle = pools.values[place.pool].shared[place.index].closesWhenIdle
        return (next, isIdle && (closesWhenIdle || mustMakeRoom(in: place.pool) || isInTheWay(place)))
    }

    /// Whether another pool's exchange has waited for room longer than any of this pool.
    private func isStarving(others pool: Dictionary<Key, OriginPool>.Index) -> Bool {
        guard let starved = oldestStarved(), starved.key != pools[pool].key else { return false }
        return pools.values[pool].waiting.first.map { starved.ticket < $0.ticket } ?? true
    }

    /// Takes the waiting exchanges that a shared connection has room for.
    private mutating func serve(_ place: Place) -> [Waiter] {
        var served: [Waiter] = []
        while !pools.values[place.pool].waiting.isEmpty, pools.values[place.pool].shared[place.index].hasRoom {
            let born = pools.values[place.pool].shared[place.index].born
            let next = pools.values[place.pool].waiting.firstIndex { !$0.needsFresh || $0.ticket < born }
            guard let next else { break }
            served.append(pools.values[place.pool].waiting.remove(at: next).waiter)
            pools.values[place.pool].shared[place.index].active += 1
        }
        return served
    }

    private func place(of connection: Connection) -> Place? {
        guard let key = owners[ObjectIdentifier(connection)]?.key, let pool = pools.index(forKey: key),
            let index = pools.values[pool].shared.firstIndex(where: { $0.connection === connection })
        else { return nil }
        return (pool, index)
    }
}
