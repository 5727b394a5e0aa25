import Testing

@testable import HttpConversationNIO

/// The pool's decisions, without a socket.
@Suite struct PoolStateMachineTests {
    final class Connection {}
    final class Waiter {}
    typealias Machine = PoolStateMachine<String, Connection, Waiter>

    private func connect(_ machine: inout Machine, _ key: String = "a") -> (Connection, Waiter?) {
        let connection = Connection()
        guard case .serve(let waiter) = machine.connected(key, connection) else { return (connection, nil) }
        return (connection, waiter)
    }

    private func wait(_ machine: inout Machine, _ key: String = "a", _ waiter: Waiter, fresh: Bool = false)
        -> Machine.Actions?
    {
        guard case .wait(let actions) = machine.checkout(key, waiter, needsFresh: fresh) else { return nil }
        return actions
    }

    @Test func aDetachedConnectionTakesNoPlaceAndEndsWithThePool() {
        var machine = Machine(limitPerOrigin: 1, limitInTotal: 1)
        _ = wait(&machine, "a", Waiter())
        let (connection, _) = connect(&machine)
        #expect(wait(&machine, "a", Waiter())?.connect == [])
        #expect(machine.detach(connection).connect == ["a"])
        let (other, _) = connect(&machine)
        _ = machine.shutDown()
        #expect(machine.openConnections.count == 2)
        _ = machine.remove(other)
        #expect(!machine.isDrained)
        _ = machine.remove(connection)
        #expect(machine.isDrained && machine.openConnections.isEmpty)
    }

    @Test func firstExchangeConnectsAndTheConnectionIsReused() {
        var machine = Machine(limitPerOrigin: 2, limitInTotal: 4)
        let waiter = Waiter()
        #expect(wait(&machine, "a", waiter)?.connect == ["a"])
        let (connection, served) = connect(&machine)
        #expect(served === waiter)
        guard case .park = machine.release("a", connection) else {
            Issue.record("another decision")
            return
        }
        guard case .use(let reused) = machine.checkout("a", Waiter()) else {
            Issue.record("another decision")
            return
        }
        #expect(reused === connection)
    }

    @Test func thePreferredOnesComeFirst() {
        var machine = Machine(limitPerOrigin: 3, limitInTotal: 4)
        for _ in 0..<3 { _ = wait(&machine, "a", Waiter()) }
        let connections = (0..<3).map { _ in connect(&machine).0 }
        for connection in connections { _ = machine.release("a", connection) }
        var used: [Connection] = []
        for preferred in [connections[..<2], connections[..<2], []] {
            guard
                case .use(let connection) = machine.checkout(
                    "a", Waiter(), isPreferred: { one in preferred.contains { $0 === one } })
            else {
                Issue.record("another decision")
                return
            }
            used.append(connection)
        }
        #expect(used[0] === connections[1] && used[1] === connections[0] && used[2] === connections[2])
    }

    @Test func mostRecentlyUsedFirst() {
        var machine = Machine(limitPerOrigin: 2, limitInTotal: 4)
        _ = wait(&machine, "a", Waiter())
        _ = wait(&machine, "a", Waiter())
        let (first, _) = connect(&machine)
        let (second, _) = connect(&machine)
        _ = machine.release("a", second)
        _ = machine.release("a", first)
        guard case .use(let reused) = machine.checkout("a", Waiter()) else {
            Issue.record("another decision")
            return
        }
        #expect(reused === first)
    }

    @Test func limitPerOriginQueuesInOrder() {
        var machine = Machine(limitPerOrigin: 1, limitInTotal: 4)
        let waiters = (0..<3).map { _ in Waiter() }
        #expect(wait(&machine, "a", waiters[0])?.connect.count == 1)
        #expect(wait(&machine, "a", waiters[1])?.connect.isEmpty == true)
        #expect(wait(&machine, "a", waiters[2])?.connect.isEmpty == true)
        let (connection, first) = connect(&machine)
        #expect(first === waiters[0])
        for expected in waiters[1...] {
            guard case .serve(let next) = machine.release("a", connection) else {
                Issue.record("another decision")
                return
            }
            #expect(next === expected)
        }
    }

    @Test func totalLimitEvictsTheOldestIdleOne() {
        var machine = Machine(limitPerOrigin: 2, limitInTotal: 2)
        _ = wait(&machine, "a", Waiter())
        let (old, _) = connect(&machine, "a")
        _ = machine.release("a", old)
        _ = wait(&machine, "b", Waiter())
        let (young, _) = connect(&machine, "b")
        _ = machine.release("b", young)
        let actions = wait(&machine, "c", Waiter())
        #expect(actions?.connect == ["c"])
        #expect(actions?.close.first === old)
        // The pool is told again when it is really closed: it must not be counted twice.
        let result1 = machine.remove(old)
        #expect(result1.connect.isEmpty)
        #expect(machine.counts("b").idle == 1)
    }

    @Test func theLongestWaitingOriginGetsTheFreeRoom() {
        var machine = Machine(limitPerOrigin: 2, limitInTotal: 1)
        _ = wait(&machine, "a", Waiter())
        let (busy, _) = connect(&machine, "a")
        #expect(wait(&machine, "b", Waiter())?.connect.isEmpty == true)
        _ = wait(&machine, "a", Waiter())
        guard case .close(let actions) = machine.release("a", busy) else {
            Issue.record("another decision")
            return
        }
        #expect(actions.connect == ["b"])
        #expect(machine.counts("a").open == 0)
    }

    @Test func failureReachesTheOldestWaiterAndTheNextTries() {
        var machine = Machine(limitPerOrigin: 1, limitInTotal: 4)
        let waiters = [Waiter(), Waiter()]
        for waiter in waiters { _ = wait(&machine, "a", waiter) }
        let (failed, actions) = machine.attemptFailed("a")
        #expect(failed.count == 1 && failed.first === waiters[0])
        #expect(actions.connect == ["a"])
    }

    @Test func withdrawalAbandonsUnneededConnections() {
        var machine = Machine(limitPerOrigin: 4, limitInTotal: 4)
        let waiters = [Waiter(), Waiter()]
        for waiter in waiters { _ = wait(&machine, "a", waiter) }
        let result2 = machine.withdraw("a", waiters[0])
        #expect(result2?.abandonAttempts.map(\.key) == ["a"])
        let result3 = machine.withdraw("a", waiters[0])
        #expect(result3?.abandonAttempts.map(\.key) == nil)
        #expect(machine.counts("a").connecting == 1)
        let result4 = machine.withdraw("a", waiters[1])
        #expect(result4?.abandonAttempts.map(\.key) == ["a"])
        #expect(machine.isDrained)
    }

    @Test func freshExchangeWaitsForANewConnection() {
        var machine = Machine(limitPerOrigin: 1, limitInTotal: 4)
        _ = wait(&machine, "a", Waiter())
        let (connection, _) = connect(&machine)
        _ = machine.release("a", connection)
        let waiter = Waiter()
        let actions = wait(&machine, "a", waiter, fresh: true)
        #expect(actions?.close.first === connection)
        #expect(actions?.connect == ["a"])
        let (_, served) = connect(&machine)
        #expect(served === waiter)
    }

    /// Connections that become free do not keep an exchange waiting for the place of a new one.
    @Test(arguments: [(1, 4), (4, 1)]) func aFreeConnectionMakesWayForANewOne(perOrigin: Int, inTotal: Int) {
        var machine = Machine(limitPerOrigin: perOrigin, limitInTotal: inTotal)
        _ = wait(&machine, "a", Waiter())
        let (connection, _) = connect(&machine)
        let (ordinary, fresh) = (Waiter(), Waiter())
        #expect(wait(&machine, "a", fresh, fresh: true)?.connect == [])
        #expect(wait(&machine, "a", ordinary)?.connect == [])
        guard case .close(let actions) = machine.release("a", connection) else {
            Issue.record("another decision")
            return
        }
        #expect(actions.connect == ["a"])
        let (other, served) = connect(&machine)
        #expect(served === fresh)
        guard case .serve(let next) = machine.release("a", other) else {
            Issue.record("another decision")
            return
        }
        #expect(next === ordinary)
    }

    /// An exchange that needs a new connection gets it, however many other exchanges come.
    @Test(arguments: [(2, 8), (8, 2)]) func aNewConnectionIsMadeUnderLoad(perOrigin: Int, inTotal: Int) {
        var machine = Machine(limitPerOrigin: perOrigin, limitInTotal: inTotal)
        for _ in 0..<2 { _ = wait(&machine, "a", Waiter()) }
        var busy = [connect(&machine).0, connect(&machine).0]
        let fresh = Waiter()
        _ = wait(&machine, "a", fresh, fresh: true)
        var closed = 0
        for _ in 0..<10 {
            _ = wait(&machine, "a", Waiter())
            let connection = busy.removeFirst()
            switch machine.release("a", connection) {
            case .serve: busy.append(connection)
            case .park: Issue.record("nobody waited")
            case .close(let actions):
                closed += 1
                #expect(actions.connect == ["a"])
            }
        }
        #expect(closed == 1)
        #expect(connect(&machine).1 === fresh)
    }

    /// Another attempt begins beside one that takes long. When that one is given up, another begins in its place.
    @Test func anAttemptThatTakesLongGetsCompany() {
        var machine = Machine(limitPerOrigin: 4, limitInTotal: 4)
        for _ in 0..<2 { _ = wait(&machine, "a", Waiter()) }
        #expect(machine.attemptIsSlow("a").connect == ["a"])
        #expect(machine.attemptIsSlow("a", 1).connect == [])
        #expect(machine.attemptIsSlow("a", 2).connect == ["a"])
        // There is no place for more.
        #expect(machine.attemptIsSlow("a", 3).connect == [])
        #expect(machine.giveUpAttempt("a").connect == ["a"])
        #expect(machine.counts("a").connecting == 4 && machine.counts("a").waiting == 2)
    }

    @Test func nobodyNeedsAnotherAttempt() {
        var machine = Machine(limitPerOrigin: 4, limitInTotal: 4)
        let waiter = Waiter()
        for waiter in [waiter, Waiter()] { _ = wait(&machine, "a", waiter) }
        let (connection, _) = connect(&machine)
        guard case .serve = machine.release("a", connection) else {
            Issue.record("another decision")
            return
        }
        #expect(machine.attemptIsSlow("a").connect == [])
        // An exchange that comes later needs an attempt of its own.
        let late = Waiter()
        #expect(wait(&machine, "a", late)?.connect == ["a"])
        #expect(machine.withdraw("a", late)?.abandonAttempts.map(\.number) == [1, 0])
        #expect(machine.giveUpAttempt("a").connect == [])
        #expect(machine.counts("a").connecting == 0)
    }

    /// The oldest attempt has got furthest, unless it takes long.
    @Test(arguments: [false, true]) func theAttemptThatHasGotFurthestGoesOn(isSlow: Bool) {
        var machine = Machine(limitPerOrigin: 8, limitInTotal: 8)
        let waiters = (0..<4).map { _ in Waiter() }
        for waiter in waiters { _ = wait(&machine, "a", waiter) }
        if isSlow { #expect(machine.attemptIsSlow("a", 1).connect == ["a"]) }
        let first = machine.withdraw("a", waiters[0])
        #expect(first?.abandonAttempts.map(\.number) == (isSlow ? [4] : [3]))
        let second = machine.withdraw("a", waiters[1])
        #expect(second?.abandonAttempts.map(\.number) == (isSlow ? [3] : [2]))
        #expect(machine.counts("a").connecting == (isSlow ? 3 : 2))
    }

    /// An attempt that never ends takes the only place. One beside it makes the connection, and it ends.
    @Test(arguments: [0, 1]) func oneAttemptExceedsTheLimitOfItsOrigin(made: Int) {
        var machine = Machine(limitPerOrigin: 1, limitInTotal: 4)
        for _ in 0..<3 { _ = wait(&machine, "a", Waiter()) }
        #expect(machine.attemptIsSlow("a").connect == ["a"])
        #expect(machine.attemptIsSlow("a", 1).connect == [])
        #expect(machine.counts("a").connecting == 2)
        let connection = Connection()
        guard case .serve = machine.connected("a", connection, of: made) else {
            Issue.record("another decision")
            return
        }
        let actions = machine.learnedExclusive("a")
        #expect(actions.abandonAttempts.map(\.number) == [0] && actions.connect == [])
        #expect(machine.counts("a").open == 1 && machine.counts("a").connecting == 0)
        #expect(machine.remove(connection).connect == ["a"])
    }

    /// A server may refuse a second connection, and serve the first one late.
    @Test func anAttemptBeyondTheLimitFails() {
        var machine = Machine(limitPerOrigin: 1, limitInTotal: 4)
        let waiter = Waiter()
        _ = wait(&machine, "a", waiter)
        #expect(machine.attemptIsSlow("a").connect == ["a"])
        let (failed, actions) = machine.attemptFailed("a", 1)
        #expect(failed.isEmpty && actions.connect == [])
        // Not at once, but when it has taken long again.
        #expect(machine.attemptIsSlow("a").connect == ["a"])
        #expect(machine.attemptFailed("a", 1).waiters.isEmpty)
        #expect(machine.attemptFailed("a").waiters.first === waiter)
        #expect(machine.isDrained)
    }

    /// An attempt that never ends takes the only place of all. One for another origin does not wait for it.
    @Test func oneAttemptExceedsTheLimitInTotal() {
        var machine = Machine(limitPerOrigin: 1, limitInTotal: 1)
        _ = wait(&machine, "a", Waiter())
        let (other, next) = (Waiter(), Waiter())
        #expect(wait(&machine, "b", other)?.connect == [])
        #expect(machine.attemptIsSlow("a").connect == ["b"])
        #expect(wait(&machine, "c", next)?.connect == [])
        let (connection, served) = connect(&machine, "b")
        #expect(served === other)
        // The places are one too many: it closes, and the next one gets its place.
        guard case .close(let actions) = machine.release("b", connection) else {
            Issue.record("another decision")
            return
        }
        #expect(actions.connect == ["c"])
        #expect(connect(&machine, "c").1 === next)
        #expect(machine.giveUpAttempt("a").connect == [])
    }

    /// The place of an attempt that is given up is free for others.
    @Test func anAttemptLeavesItsPlaceToOthers() {
        var machine = Machine(limitPerOrigin: 3, limitInTotal: 2)
        for _ in 0..<2 { _ = wait(&machine, "a", Waiter()) }
        #expect(wait(&machine, "b", Waiter())?.connect == [])
        let (connection, _) = connect(&machine)
        guard case .serve = machine.release("a", connection) else {
            Issue.record("another decision")
            return
        }
        #expect(machine.giveUpAttempt("a").connect == ["b"])
    }

    @Test func retiredOnlyWhileIdle() {
        var machine = Machine(limitPerOrigin: 1, limitInTotal: 4)
        _ = wait(&machine, "a", Waiter())
        let (connection, _) = connect(&machine)
        let result5 = machine.retire("a", connection)
        #expect(result5.map { _ in true } == nil)
        _ = machine.release("a", connection)
        let result6 = machine.retire("a", connection)
        #expect(result6.map { _ in true } == true)
        #expect(machine.isDrained)
    }

    @Test func shutdownEndsWaitersAndIdleOnesAndCountsTheRest() {
        var machine = Machine(limitPerOrigin: 2, limitInTotal: 4)
        for _ in 0..<2 { _ = wait(&machine, "a", Waiter()) }
        let (busy, _) = connect(&machine)
        let (idle, _) = connect(&machine)
        _ = machine.release("a", idle)
        let waiter = Waiter()
        _ = wait(&machine, "b", waiter)
        let (waiters, actions) = machine.shutDown()
        #expect(waiters.first === waiter)
        #expect(actions.close.first === idle)
        #expect(actions.abandonAttempts.map(\.key) == ["b"])
        guard case .refused = machine.checkout("a", Waiter()) else {
            Issue.record("another decision")
            return
        }
        guard case .close = machine.release("a", busy) else {
            Issue.record("another decision")
            return
        }
        #expect(!machine.isDrained)
        _ = machine.remove(idle)
        #expect(machine.isDrained)
    }

    /// Random events never break the invariants: limits hold, no waiter is lost, no count is negative.
    @Test(arguments: 0..<20) func invariantsHold(seed: UInt64) async {
        var random = SplitMix(state: seed)
        var machine = Machine(limitPerOrigin: 3, limitInTotal: 5)
        var busy: [(String, Connection)] = []
        var waiting: [(String, Waiter)] = []
        var attempts: [String] = []
        func apply(_ actions: Machine.Actions) {
            attempts += actions.connect
            for (key, number) in actions.abandonAttempts {
                #expect(number < attempts.count { $0 == key })
                if let index = attempts.firstIndex(of: key) { attempts.remove(at: index) }
            }
        }
        func take(_ release: Machine.Release, _ key: String, _ connection: Connection) {
            switch release {
            case .serve(let waiter):
                waiting.removeAll { $0.1 === waiter }
                busy.append((key, connection))
            case .park: break
            case .close(let actions): apply(actions)
            }
        }
        func brokenInvariants() -> [String] {
            var broken: [String] = []
            func check(_ invariant: String, _ holds: Bool) { if !holds { broken.append(invariant) } }
            var total = 0
            for key in ["a", "b", "c"] {
                let counts = machine.counts(key)
                // One attempt beside one that takes long is the only thing that may exceed the limit.
                let most = 3 + min(1, machine.pools[key]?.slow ?? 0)
                check("the limit of an origin", counts.open + counts.connecting <= most)
                check("no attempt beside three", counts.open < 3 || counts.open == 3 && counts.connecting == 0)
                check("attempts", counts.connecting == attempts.count { $0 == key })
                check("waiters", counts.waiting == waiting.count { $0.0 == key })
                check("connections", counts.idle + busy.count { $0.0 == key } == counts.open)
                check("nobody waits for an idle one", counts.idle == 0 || counts.waiting == 0 || counts.connecting > 0)
                total += counts.open + counts.connecting
            }
            // One attempt for another origin may exceed it, until a connection is free.
            check("the limit in total", total <= 6)
            check("somebody serves those that wait", waiting.isEmpty || total > 0)
            return broken
        }
        for _ in 0..<2000 {
            let key = ["a", "b", "c"][Int(random.next() % 3)]
            switch random.next() % 6 {
            case 0, 1:
                let waiter = Waiter()
                switch machine.checkout(key, waiter, needsFresh: random.next() % 8 == 0) {
                case .use(let connection): busy.append((key, connection))
                case .wait(let actions):
                    waiting.append((key, waiter))
                    apply(actions)
                case .refused: Issue.record("refused")
                }
            case 2:
                guard !attempts.isEmpty else { continue }
                let made = attempts.removeFirst()
                if random.next() % 4 == 0 {
                    let (failed, actions) = machine.attemptFailed(made)
                    waiting.removeAll { waiter in failed.contains { $0 === waiter.1 } }
                    apply(actions)
                } else {
                    let connection = Connection()
                    take(machine.connected(made, connection), made, connection)
                    apply(machine.learnedExclusive(made))
                }
            case 3:
                guard !busy.isEmpty else { continue }
                let (owner, connection) = busy.remove(at: Int(random.next() % UInt64(busy.count)))
                if random.next() % 4 == 0 {
                    apply(machine.remove(connection))
                } else {
                    take(machine.release(owner, connection), owner, connection)
                }
            case 4:
                let count = attempts.filter { $0 == key }.count
                guard count > 0, let index = attempts.firstIndex(of: key) else { continue }
                let number = Int(random.next() % UInt64(count))
                if random.next() % 4 == 0 {
                    attempts.remove(at: index)
                    apply(machine.giveUpAttempt(key, number))
                } else {
                    apply(machine.attemptIsSlow(key, number))
                }
            default:
                guard let (owner, waiter) = waiting.randomElement(using: &random), random.next() % 3 == 0 else {
                    continue
                }
                waiting.removeAll { $0.1 === waiter }
                if let actions = machine.withdraw(owner, waiter) { apply(actions) }
            }
            // One check for all, because each one costs as much as the round before it.
            #expect(brokenInvariants().isEmpty)
            await Task.yield()
        }
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
