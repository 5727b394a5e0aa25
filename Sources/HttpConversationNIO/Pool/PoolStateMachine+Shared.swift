/// Connections for many exchanges at the same time (HTTP/2).
extension PoolStateMachine {
    /// A place on a shared connection, taken.
    mutating func claimShared(_ key: Key) -> Connection? {
        guard let index = pools[key]?.shared.firstIndex(where: \.hasRoom) else { return nil }
        pools[key]?.shared[index].active += 1
        return pools[key]?.shared[index].connection
    }

    /// A new connection is ready and serves so many exchanges at a time; nil where none is wanted any more.
    mutating func connectedShared(
        _ key: Key, _ connection: Connection, limit: Int
    ) -> (waiters: [Waiter], actions: Actions)? {
        pools[key, default: OriginPool()].connecting -= 1
        guard !isShutDown else {
            total -= 1
            if pools[key]?.isEmpty == true { pools[key] = nil }
            return nil
        }
        learn(key, isShared: true)
        pools[key]?.open += 1
        owners[ObjectIdentifier(connection)] = (connection, key)
        let now = nextTicket()
        pools[key]?.shared.append(Shared(connection: connection, limit: limit, since: now, born: now))
        let waiters = serve(key, connection)
        var actions = Actions()
        abandonSurplus(key, &actions)
        settle(key, &actions)
        return (waiters, actions)
    }

    /// The server allows another number of exchanges.
    mutating func changeLimit(_ connection: Connection, to limit: Int) -> [Waiter] {
        guard let (key, index) = place(of: connection) else { return [] }
        pools[key]?.shared[index].limit = limit
        return serve(key, connection)
    }

    /// Nothing new may begin on a connection: what waits gets another one.
    mutating func drain(_ connection: Connection) -> Actions {
        var actions = Actions()
        guard let (key, index) = place(of: connection) else { return actions }
        pools[key]?.shared[index].isDraining = true
        settle(key, &actions)
        return actions
    }

    /// An exchange on a shared connection is over.
    ///
    /// - Returns: who begins in its place, and whether the connection should close
    mutating func releaseShared(_ connection: Connection) -> (next: [Waiter], closes: Bool) {
        guard let (key, index) = place(of: connection) else { return ([], false) }
        pools[key]?.shared[index].active -= 1
        let isIdle = pools[key]?.shared[index].active == 0
        if isIdle {
            let since = nextTicket()
            pools[key]?.shared[index].since = since
            if isShutDown { return ([], true) }
            if isStarving(others: key) { return ([], true) }
        }
        return (serve(key, connection), false)
    }

    /// Whether somebody else waits for room, longer than anybody here.
    private func isStarving(others key: Key) -> Bool {
        guard isFull, let starved = oldestStarved(), starved.key != key else { return false }
        return pools[key]?.waiting.first.map { starved.ticket < $0.ticket } ?? true
    }

    /// Those of the queue that a shared connection has room for.
    private mutating func serve(_ key: Key, _ connection: Connection) -> [Waiter] {
        var served: [Waiter] = []
        while let (_, index) = place(of: connection), let shared = pools[key]?.shared[index], shared.hasRoom,
            let next = pools[key]?.waiting.firstIndex(where: { !$0.needsFresh || $0.ticket < shared.born }),
            let queued = pools[key]?.waiting.remove(at: next)
        {
            pools[key]?.shared[index].active += 1
            served.append(queued.waiter)
        }
        return served
    }

    private func place(of connection: Connection) -> (key: Key, index: Int)? {
        guard let key = owners[ObjectIdentifier(connection)]?.key,
            let index = pools[key]?.shared.firstIndex(where: { $0.connection === connection })
        else { return nil }
        return (key, index)
    }
}
