/// The attempts to make connections: how many the waiting exchanges need, the room for them, and their end.
extension PoolStateMachine {
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
    mutating func grow(_ key: Key, _ actions: inout Actions) -> Bool {
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

    /// Whether the limit of an origin allows another attempt. An attempt may exceed it beside one that takes long,
    /// because that one may never end.
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
        // One more at a time, because the server may just be busy.
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

    /// Abandons attempts that no exchange needs: the youngest ones, because the others have got further. Attempts that
    /// take long are the last, because the server may need that time. As long as an exchange waits, another one stays
    /// beside them.
    mutating func abandonSurplus(_ key: Key, _ actions: inout Actions) {
        while let pool = pools[key], pool.connecting > wanted(key, pool) {
            abandon(key, pool.attempts.lastIndex { !$0.isSlow } ?? pool.connecting - 1, &actions)
        }
    }

    mutating func abandon(_ key: Key, _ number: Int, _ actions: inout Actions) {
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
