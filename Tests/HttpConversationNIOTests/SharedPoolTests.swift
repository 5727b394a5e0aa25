import Testing

@testable import HttpConversationNIO

/// The pool's decisions about connections that serve many exchanges, without a socket.
@Suite struct SharedPoolTests {
    final class Connection {}
    final class Waiter {}
    typealias Machine = PoolStateMachine<String, Connection, Waiter>

    private static func machine(perOrigin: Int = 8, inTotal: Int = 8) -> Machine {
        Machine(limitPerOrigin: perOrigin, limitInTotal: inTotal, mayBeShared: { $0 != "plain" })
    }

    private func wait(
        _ machine: inout Machine, _ count: Int = 1, _ key: String = "a", fresh: Bool = false
    ) -> [String] {
        var connects: [String] = []
        for _ in 0..<count {
            guard case .wait(let actions) = machine.checkout(key, Waiter(), needsFresh: fresh) else { continue }
            connects += actions.connect
        }
        return connects
    }

    private func connect(
        _ machine: inout Machine, _ connection: Connection, limit: Int
    ) throws -> (waiters: [Waiter], actions: Machine.Actions) {
        let outcome = machine.connectedShared("a", connection, limit: limit)
        return try #require(outcome)
    }

    /// One connection until it is known to be shared, and no more if it is.
    @Test func oneHTTP2ConnectionServesAll() throws {
        var machine = Self.machine()
        #expect(wait(&machine, 5) == ["a"])
        let connection = Connection()
        let (waiters, actions) = try connect(&machine, connection, limit: 1)
        #expect(waiters.count == 1)
        #expect(actions.connect.isEmpty)
        #expect(machine.changeLimit(connection, to: 3).next.count == 2)
        #expect(machine.counts("a").waiting == 2)
        let (next, closes) = machine.releaseShared(connection)
        #expect(next.count == 1)
        #expect(!closes)
        #expect(machine.counts("a").connecting == 0)
        #expect(machine.counts("a").open == 1)
    }

    /// An exchange that needs a new connection gets it although all places are taken by connections without exchanges.
    @Test func aFreeConnectionMakesWayForANewOne() throws {
        var machine = Self.machine(perOrigin: 2)
        let connections = [Connection(), Connection()]
        #expect(wait(&machine) == ["a"])
        _ = try connect(&machine, connections[0], limit: 5)
        #expect(machine.releaseShared(connections[0]).closes == false)
        #expect(wait(&machine, fresh: true) == ["a"])
        _ = try connect(&machine, connections[1], limit: 5)
        guard case .use(let first) = machine.checkout("a", Waiter()) else {
            Issue.record("another decision")
            return
        }
        #expect(first === connections[0])
        // Both are busy: the first one to be free makes way.
        #expect(wait(&machine, fresh: true) == [])
        #expect(machine.releaseShared(connections[0]).closes)
        #expect(machine.remove(connections[0]).connect == ["a"])
        let third = Connection()
        #expect(try connect(&machine, third, limit: 5).waiters.count == 1)
        #expect(!machine.releaseShared(connections[1]).closes)
        // One of the connections is free already.
        guard case .wait(let actions) = machine.checkout("a", Waiter(), needsFresh: true) else {
            Issue.record("another decision")
            return
        }
        #expect(actions.close.first === connections[1] && actions.connect == ["a"])
    }

    /// One connection per exchange, once they are known not to be shared.
    @Test func exclusiveConnectionsServeOneExchangeEach() {
        var machine = Self.machine()
        #expect(wait(&machine, 5) == ["a"])
        guard case .serve = machine.connected("a", Connection()) else {
            Issue.record("another decision")
            return
        }
        #expect(machine.learnedExclusive("a").connect.count == 4)
        // The pool remembers it.
        #expect(wait(&machine, 2) == ["a", "a"])
    }

    /// If no connection can be made, all waiters get the error at the same time.
    @Test func allWaitersFailAtTheSameTime() {
        var machine = Self.machine()
        #expect(wait(&machine, 3) == ["a"])
        let (failed, actions) = machine.attemptFailed("a")
        #expect(failed.count == 1)
        #expect(actions.connect == ["a", "a"])
    }

    /// The same if the server is known to share connections: one attempt at a time is made, and it was for all of them.
    @Test func allWaitersOfAnAttemptFailWithIt() throws {
        var machine = Self.machine()
        _ = wait(&machine)
        let connection = Connection()
        _ = try connect(&machine, connection, limit: 1)
        #expect(wait(&machine, 20) == [])
        #expect(machine.remove(connection).connect == ["a"])
        #expect(wait(&machine) == [])
        let (failed, actions) = machine.attemptFailed("a")
        #expect(failed.count == 20 && actions.connect == ["a"])
        // The last one came after the attempt had begun.
        let (last, further) = machine.attemptFailed("a")
        #expect(last.count == 1 && further.connect == [])
        #expect(machine.isDrained)
    }

    /// Exchanges that wait for a place on a connection do not fail with an attempt that was made for others.
    @Test func anAttemptForOthersFails() throws {
        var machine = Self.machine()
        _ = wait(&machine)
        _ = try connect(&machine, Connection(), limit: 1)
        #expect(wait(&machine, 3) == [])
        #expect(wait(&machine, 2, fresh: true) == ["a"])
        #expect(machine.attemptFailed("a").waiters.count == 1)
        #expect(machine.attemptFailed("a").waiters.count == 1)
        #expect(machine.counts("a").waiting == 3 && machine.counts("a").connecting == 0)
    }

    /// The first attempt never ends. Somebody always waits, and each gives up after six seconds.
    @Test(arguments: [false, true]) func anAttemptThatNeverEndsHoldsUpNobody(isKnown: Bool) throws {
        var machine = Self.machine()
        if isKnown {
            _ = wait(&machine)
            let connection = Connection()
            _ = try connect(&machine, connection, limit: 1)
            _ = machine.remove(connection)
        }
        var waiting: [(since: Int, waiter: Waiter)] = []
        var attempts = 0
        // In half seconds.
        for time in 0..<60 where attempts < 2 {
            if time % 3 == 0, case .wait(let actions) = machine.checkout("a", Waiter()) {
                attempts += actions.connect.count
            }
            if time % 3 == 0, let waiter = machine.waiters("a").last { waiting.append((time, waiter)) }
            if let first = waiting.first, time - first.since >= 12 {
                Issue.record("nobody should wait for that long")
                _ = machine.withdraw("a", waiting.removeFirst().waiter)
            }
            if time == 10 { attempts += machine.attemptIsSlow("a").connect.count }
        }
        #expect(attempts == 2)
        let made = machine.connectedShared("a", Connection(), limit: 100, of: 1)
        #expect(made?.waiters.count == 4)
        #expect(made?.actions.abandonAttempts.map(\.number) == [0])
        #expect(machine.counts("a").connecting == 0)
    }

    /// The exchanges of the only connection never end. Others get another one when they have waited long.
    @Test func thePlacesOfAConnectionAreTakenForEver() throws {
        var machine = Self.machine(perOrigin: 2)
        _ = wait(&machine, 3)
        let connections = [Connection(), Connection()]
        #expect(try connect(&machine, connections[0], limit: 1).waiters.count == 1)
        #expect(machine.shortage("a") == nil)
        let first = machine.waitsLong("a", since: 0)
        #expect(first.actions.connect == ["a"])
        #expect(machine.waitsLong("a", since: 0).actions.connect == [])
        // If the server refuses it, they go on, and try again when one has waited for as long again.
        let (failed, actions) = machine.attemptFailed("a")
        #expect(failed.isEmpty && actions.connect == [] && machine.counts("a").waiting == 2)
        let second = machine.waitsLong("a", since: first.now)
        #expect(second.actions.connect == [])
        #expect(machine.waitsLong("a", since: 0).actions.connect == [])
        #expect(machine.waitsLong("a", since: second.now).actions.connect == ["a"])
        let made = try connect(&machine, connections[1], limit: 1)
        #expect(made.waiters.count == 1 && made.actions.connect == [])
        // The limit holds.
        let third = machine.waitsLong("a", since: second.now)
        #expect(third.actions.connect == [] && machine.counts("a").waiting == 1)
        #expect(machine.shortage("a") == .atServer(connections: 2, exchanges: 2))
        #expect(machine.releaseShared(connections[0]).next.count == 1)
        #expect(machine.waitsLong("a", since: third.now).actions.connect == [])
        // An exchange that comes now has not waited long.
        #expect(wait(&machine, 1) == [])
    }

    /// A single connection is allowed, and the first attempt never ends.
    @Test func anAttemptBeyondTheLimitEndsTheOther() throws {
        var machine = Self.machine(perOrigin: 1)
        #expect(wait(&machine, 2) == ["a"])
        #expect(machine.attemptIsSlow("a").connect == ["a"])
        let outcome = machine.connectedShared("a", Connection(), limit: 5, of: 1)
        let made = try #require(outcome)
        #expect(made.waiters.count == 2 && made.actions.abandonAttempts.map(\.number) == [0])
        #expect(machine.counts("a").open == 1 && machine.counts("a").connecting == 0)
    }

    /// When a connection takes no more exchanges, waiting ones get another one; running ones stay.
    /// A server that allows no exchange keeps no place that others need.
    @Test(arguments: [false, true]) func aConnectionThatMayNotBeUsedMakesRoom(isIdle: Bool) throws {
        var machine = Self.machine(inTotal: 1)
        let connection = Connection()
        #expect(wait(&machine) == ["a"])
        #expect(try connect(&machine, connection, limit: 1).waiters.count == 1)
        #expect(wait(&machine, 1, "a") == [])
        #expect(wait(&machine, 1, "plain") == [])
        if isIdle { #expect(!machine.changeLimit(connection, to: 0).closes) }
        let (next, closes) = machine.releaseShared(connection)
        #expect(next.count == (isIdle ? 0 : 1) && closes == isIdle)
        if isIdle { #expect(machine.remove(connection).connect == ["a"]) }
    }

    @Test func draining() throws {
        var machine = Self.machine()
        _ = wait(&machine, 3)
        let old = Connection()
        _ = try connect(&machine, old, limit: 1)
        #expect(machine.drain(old).connect == ["a"])
        let new = Connection()
        let (waiters, _) = try connect(&machine, new, limit: 10)
        #expect(waiters.count == 2)
        guard case .use(let used) = machine.checkout("a", Waiter()) else {
            Issue.record("another decision")
            return
        }
        #expect(used === new)
        let released = machine.releaseShared(old)
        #expect(released.next.isEmpty)
        _ = machine.remove(old)
        #expect(machine.counts("a").open == 1)
    }

    /// A connection on which the server refused a request ends with its last exchange.
    @Test func aDismissedConnectionEnds() throws {
        var machine = Self.machine()
        _ = wait(&machine, 3)
        let connection = Connection()
        #expect(try connect(&machine, connection, limit: 2).waiters.count == 2)
        #expect(machine.drain(connection, closesWhenIdle: true).connect == ["a"])
        guard case .wait = machine.checkout("a", Waiter()) else {
            Issue.record("another decision")
            return
        }
        let first = machine.releaseShared(connection)
        #expect(first.next.isEmpty && !first.closes)
        let second = machine.releaseShared(connection)
        #expect(second.next.isEmpty && second.closes)
    }

    /// Exchanges that need a fresh connection share one; an existing one does not count.
    @Test func freshExchangesShareANewConnection() throws {
        var machine = Self.machine()
        _ = wait(&machine)
        let old = Connection()
        _ = try connect(&machine, old, limit: 100)
        #expect(wait(&machine, 10, fresh: true) == ["a"])
        let new = Connection()
        let (first, actions) = try connect(&machine, new, limit: 1)
        #expect(first.count == 1)
        #expect(actions.connect.isEmpty)
        #expect(machine.changeLimit(old, to: 200).next.count == 0)
        #expect(machine.changeLimit(new, to: 100).next.count == 9)
    }

    @Test func idleConnectionsMakeRoom() throws {
        var machine = Self.machine(inTotal: 1)
        _ = wait(&machine)
        let connection = Connection()
        _ = try connect(&machine, connection, limit: 10)
        #expect(wait(&machine, 1, "b").isEmpty)
        let (_, closes) = machine.releaseShared(connection)
        #expect(closes)
        #expect(machine.remove(connection).connect == ["b"])
    }

    @Test func busyConnectionsAreNotRetired() throws {
        var machine = Self.machine()
        _ = wait(&machine)
        let connection = Connection()
        _ = try connect(&machine, connection, limit: 10)
        #expect(machine.retire("a", connection) == nil)
        _ = machine.releaseShared(connection)
        _ = machine.retire("a", connection)
        #expect(machine.isDrained)
    }

    @Test func shutDownLetsStreamsFinish() throws {
        var machine = Self.machine()
        _ = wait(&machine, 2)
        let connection = Connection()
        _ = try connect(&machine, connection, limit: 1)
        let (waiters, actions) = machine.shutDown()
        #expect(waiters.count == 1)
        #expect(actions.close.isEmpty)
        let released = machine.releaseShared(connection)
        #expect(released.closes)
        _ = machine.remove(connection)
        #expect(machine.isDrained)
    }
}
