import Testing

@testable import HttpConversationNIO

/// Random events at the pool's decisions, about connections of both kinds.
@Suite struct PoolWalkTests {
    @Test(arguments: 0..<20) func invariantsHold(seed: UInt64) async {
        var walk = PoolWalk(seed: seed)
        for _ in 0..<2000 {
            walk.step()
            let broken = walk.broken
            #expect(broken.isEmpty)
            if !broken.isEmpty { return }
            await Task.yield()
        }
    }
}

/// A pool, and what its user knows about it.
private struct PoolWalk {
    final class Connection {
        let number: Int
        var isShared = false
        var isDraining = false

        init(_ number: Int) { self.number = number }
    }

    final class Waiter {
        let needsFresh: Bool
        var lastLook: UInt64 = 0

        init(needsFresh: Bool) { self.needsFresh = needsFresh }
    }

    typealias Machine = PoolStateMachine<String, Connection, Waiter>
    private static let keys = ["a", "b", "exclusive"]

    private var random: SplitMix
    private let (perOrigin, inTotal): (Int, Int)
    private var machine: Machine
    private var waiting: [(key: String, waiter: Waiter)] = []
    private var attempts: [String] = []
    private var open: [(key: String, connection: Connection)] = []
    /// One entry per exchange.
    private var busy: [Connection] = []
    private var made = 0
    private var mistakes: [String] = []

    init(seed: UInt64) {
        random = SplitMix(state: seed)
        perOrigin = Int(random.next() % 3) + 1
        inTotal = Int(random.next() % 5) + 1
        machine = Machine(
            limitPerOrigin: perOrigin, limitInTotal: inTotal, mayBeShared: { $0 != "exclusive" })
    }

    private mutating func chance(_ number: UInt64) -> Bool { random.next() % number == 0 }

    private func isBusy(_ connection: Connection) -> Bool { busy.contains { $0 === connection } }

    // MARK: What the pool decides

    private mutating func apply(_ actions: Machine.Actions) {
        attempts += actions.connect
        for (key, number) in actions.abandonAttempts { removeAttempt(key, number) }
        for connection in actions.close {
            if isBusy(connection) { mistakes.append("closes a busy connection") }
            open.removeAll { $0.connection === connection }
        }
    }

    private mutating func removeAttempt(_ key: String, _ number: Int) {
        let indices = attempts.indices.filter { attempts[$0] == key }
        guard indices.indices.contains(number) else { return mistakes.append("no such attempt") }
        attempts.remove(at: indices[number])
    }

    private mutating func begin(_ waiters: [Waiter], on connection: Connection) {
        for waiter in waiters {
            waiting.removeAll { $0.waiter === waiter }
            busy.append(connection)
        }
    }

    private mutating func take(_ release: Machine.Release, _ connection: Connection) {
        switch release {
        case .serve(let waiter): begin([waiter], on: connection)
        case .park: break
        case .close(let actions):
            open.removeAll { $0.connection === connection }
            apply(actions)
        }
    }

    private mutating func take(_ decision: (next: [Waiter], closes: Bool), _ connection: Connection) {
        begin(decision.next, on: connection)
        guard decision.closes else { return }
        if isBusy(connection) { mistakes.append("closes a busy connection") }
        end(connection)
    }

    private mutating func end(_ connection: Connection) {
        open.removeAll { $0.connection === connection }
        busy.removeAll { $0 === connection }
        apply(machine.remove(connection))
    }

    // MARK: Events

    mutating func step() {
        let key = Self.keys[Int(random.next() % 3)]
        switch random.next() % 9 {
        case 0, 1: checkOut(key)
        case 2: endAttempt()
        case 3: endExchange()
        case 4: delayAttempt(key)
        case 5: endWait()
        case 6: changeLimit()
        case 7: drain()
        default: retire()
        }
    }

    private mutating func checkOut(_ key: String) {
        let waiter = Waiter(needsFresh: chance(8))
        switch machine.checkout(key, waiter, needsFresh: waiter.needsFresh) {
        case .use(let connection): busy.append(connection)
        case .wait(let actions):
            waiting.append((key, waiter))
            apply(actions)
        case .refused: mistakes.append("refuses an exchange")
        }
    }

    private mutating func endAttempt() {
        guard let index = attempts.indices.randomElement(using: &random) else { return }
        let key = attempts.remove(at: index)
        let number = attempts[..<index].count { $0 == key }
        if chance(4) {
            let (failed, actions) = machine.attemptFailed(key, number)
            waiting.removeAll { waiting in failed.contains { $0 === waiting.waiter } }
            return apply(actions)
        }
        made += 1
        let connection = Connection(made)
        open.append((key, connection))
        if key != "exclusive", !chance(12) {
            connection.isShared = true
            guard let (waiters, actions) = machine.connectedShared(key, connection, limit: 1, of: number) else {
                return mistakes.append("refuses a connection")
            }
            begin(waiters, on: connection)
            apply(actions)
        } else {
            take(machine.connected(key, connection, of: number), connection)
            apply(machine.learnedExclusive(key))
        }
    }

    private mutating func endExchange() {
        guard let index = busy.indices.randomElement(using: &random) else { return }
        let connection = busy[index]
        if chance(5) { return end(connection) }
        busy.remove(at: index)
        guard connection.isShared else {
            guard let key = open.first(where: { $0.connection === connection })?.key else {
                return mistakes.append("a busy connection that is closed")
            }
            return take(machine.release(key, connection), connection)
        }
        take(machine.releaseShared(connection), connection)
        if connection.isDraining, !isBusy(connection) { end(connection) }
    }

    private mutating func delayAttempt(_ key: String) {
        let count = attempts.count { $0 == key }
        guard count > 0 else { return }
        let number = Int(random.next() % UInt64(count))
        guard chance(4) else { return apply(machine.attemptIsSlow(key, number)) }
        removeAttempt(key, number)
        apply(machine.giveUpAttempt(key, number))
    }

    private mutating func endWait() {
        guard let (key, waiter) = waiting.randomElement(using: &random) else { return }
        if chance(3) {
            waiting.removeAll { $0.waiter === waiter }
            if let actions = machine.withdraw(key, waiter) { apply(actions) }
        } else {
            let (now, actions) = machine.waitsLong(key, since: waiter.lastLook)
            waiter.lastLook = now
            apply(actions)
        }
    }

    private mutating func changeLimit() {
        let shared = open.map(\.connection).filter { $0.isShared && !$0.isDraining }
        guard let connection = shared.randomElement(using: &random) else { return }
        take(machine.changeLimit(connection, to: Int(random.next() % 5)), connection)
    }

    private mutating func drain() {
        let shared = open.map(\.connection).filter(\.isShared)
        guard chance(4), let connection = shared.randomElement(using: &random) else { return }
        connection.isDraining = true
        apply(machine.drain(connection))
        if !isBusy(connection) { end(connection) }
    }

    private mutating func retire() {
        let idle = open.filter { !isBusy($0.connection) }
        guard let (key, connection) = idle.randomElement(using: &random) else { return }
        guard let actions = machine.retire(key, connection) else { return }
        open.removeAll { $0.connection === connection }
        apply(actions)
    }

    // MARK: Invariants

    /// The invariants that do not hold.
    var broken: [String] {
        var broken = mistakes
        func check(_ invariant: String, _ holds: Bool) { if !holds { broken.append(invariant) } }
        var total = 0
        for key in Self.keys {
            let counts = machine.counts(key)
            let pool = machine.pools[key]
            total += counts.open + counts.connecting
            check("the limit of an origin", counts.open + counts.connecting <= perOrigin + min(1, pool?.slow ?? 0))
            check("the connections of an origin", counts.open <= perOrigin)
            check("attempts", counts.connecting == attempts.count { $0 == key })
            check("waiters", counts.waiting == waiting.count { $0.key == key })
            check("connections", counts.open == open.count { $0.key == key })
            for shared in pool?.shared ?? [] {
                check("exchanges", shared.active == busy.count { $0 === shared.connection })
                let mayWait = waiting.allSatisfy { $0.key != key || $0.waiter.needsFresh }
                check("nobody waits beside room", !shared.hasRoom || mayWait)
            }
            guard counts.waiting > 0, counts.connecting == 0 else { continue }
            let hasRoom = machine.total < inTotal && counts.open < perOrigin
            check("nobody waits beside room for a connection", counts.open > 0 || !hasRoom)
            check("nobody waits for nothing", counts.open > 0 || !attempts.isEmpty || !busy.isEmpty)
            let isServed = pool?.shared.contains { !$0.isDraining } == true || pool?.shared.count != counts.open
            check("nobody waits for connections that are draining", isServed || !hasRoom)
        }
        // One attempt for another origin may exceed it, until a connection is free.
        check("the limit in total", total <= inTotal + 1)
        check("the limit in total, idle", total <= inTotal || !attempts.isEmpty || !busy.isEmpty)
        check("the sum", total == machine.total)
        return broken
    }
}
