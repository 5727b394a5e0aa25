#if PostgreSQL
import Foundation
import HttpConvAuthFlows
import HttpConvVault
import Synchronization
import Testing

@testable import HttpConvPostgresStorage

/// A database that is away, restarts, cuts connections or cannot be written.
@Suite("PostgreSQL: away", .serialized, .timeLimit(.minutes(3)))
struct AwayTests {
    private let key: OAuth2TokenKey

    init() throws { key = try .number(1) }

    @Test func tokensInMemoryGoOnBeingUsed() async throws {
        let server = try await PostgresServer.interrupted
        let handle = try await server.database().open { $0.patience = .milliseconds(500) }
        let storage = PostgresTokenStorage(handle)
        try await storage.save(.named("a"), for: key)
        try await server.order("stop")
        for _ in 0..<100 { #expect(try await storage.tokens(for: key)?.accessToken.value == "a") }
        // Nobody renews them, because nobody gets the lease.
        let attempts: [@Sendable () async throws -> Void] = [
            { try await storage.withLease(for: key, duration: .seconds(30), until: { nil }) { _ in } },
            { _ = try await storage.tokens(for: .number(2)) },
            { try await storage.save(.named("b"), for: key) },
            { try await storage.removeAllTokens() },
        ]
        for attempt in attempts { #expect(await failure(attempt)?.code == .unavailable) }
        #expect(handle.health.lastError?.code == .unavailable && !handle.health.isWell)
        #expect(try await storage.tokens(for: key)?.accessToken.value == "a")
        try await server.order("start")
        while !handle.health.isWell { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try await storage.tokens(for: key)?.accessToken.value == "a")
        try await storage.save(.named("c"), for: key)
        #expect(try await storage.tokens(for: key)?.accessToken.value == "c")
    }

    @Test func operationsWaitForARestart() async throws {
        let server = try await PostgresServer.interrupted
        let place = try await server.database()
        let storage = PostgresTokenStorage(try await place.open())
        try await storage.save(.named("0"), for: key)
        for round in 1...2 {
            async let restart: Void = server.order(round == 1 ? "restart" : "crash")
            let writing = Task { [key] in
                for number in 0..<20 {
                    try await storage.withLease(for: key, duration: .seconds(30), until: { () -> Void? in nil }) {
                        lease in
                        try await storage.save(.named("\(round)-\(number)"), for: key, under: lease)
                    }
                }
            }
            try await restart
            if round == 2 { try await server.order("start") }
            try await writing.value
            let stored = PostgresTokenStorage(try await place.open())
            #expect(try await stored.tokens(for: key)?.accessToken.value == "\(round)-19")
        }
    }

    /// A lease that its holder could not extend while the database was down is not taken at once.
    @Test func aRestartDoesNotEndALease() async throws {
        let server = try await PostgresServer.interrupted
        try await server.order("restart")
        let place = try await server.database()
        let (one, two) = (
            PostgresTokenStorage(try await place.open()), PostgresTokenStorage(try await place.open())
        )
        let lease = try #require(try await one.lease(key))
        try await place.psql("UPDATE httpconv_token SET renewed = renewed - interval '1 hour'")
        try await place.pass(.seconds(31))
        #expect(try await two.lease(key) == nil, "a lease from before the start of the database")
        try await one.save(.named("a"), for: key, under: lease)
        await one.releaseLease(lease)
        #expect(try await two.lease(key) != nil)
    }

    @Test func aReadOnlyDatabaseIsAnError() async throws {
        let place = try await PostgresServer.shared.database()
        let storage = PostgresTokenStorage(try await place.open { $0.patience = .milliseconds(500) })
        try await storage.save(.named("a"), for: key)
        try await place.setReadOnly(true)
        for lease in [nil, OAuth2Lease(key: key, fence: 1)] {
            #expect(await failure { try await storage.save(.named("b"), for: key, under: lease) }?.code == .readOnly)
        }
        let leased = await failure {
            try await storage.withLease(for: key, duration: .seconds(30), until: { nil }) { _ in }
        }
        #expect(leased?.code == .readOnly)
        #expect(try await storage.tokens(for: key)?.accessToken.value == "a")
        #expect(try await PostgresTokenStorage(place.open()).tokens(for: key)?.accessToken.value == "a")
        try await place.setReadOnly(false)
        try await storage.save(.named("c"), for: key)
        #expect(try await storage.tokens(for: key)?.accessToken.value == "c")
    }

    @Test func aFullDiskIsAnErrorAndKeepsTheLease() async throws {
        let place = try await PostgresServer.shared.database()
        let (storage, other) = (
            PostgresTokenStorage(try await place.open()), PostgresTokenStorage(try await place.open())
        )
        try await storage.save(.named("a"), for: key)
        try await place.setFull(true)
        let tokens = OAuth2Tokens.named("canary")
        let leases = Mutex<[OAuth2Lease]>([])
        let error = await failure {
            try await storage.withLease(for: key, duration: .seconds(30), until: { () -> Void? in nil }) { lease in
                leases.withLock { $0 = [lease].compactMap { $0 } }
                try await storage.save(tokens, for: key, under: lease)
            }
        }
        #expect(error?.code == .diskFull && error?.sqlState == "53100")
        #expect(error.map { "\($0)" }?.contains("canary") == false)
        #expect(try await other.tokens(for: key)?.accessToken.value == "a")
        // Nobody renews with the older tokens before the new ones are written.
        #expect(try await other.lease(key) == nil)
        try await place.setFull(false)
        try await storage.save(tokens, for: key, under: leases.withLock { $0.first })
        #expect(try await other.lease(key) != nil)
        #expect(try await other.tokens(for: key) == tokens)
    }

    /// Nobody repeats a removal, so its lease is released.
    @Test func aFailedRemovalReleasesItsLease() async throws {
        let place = try await PostgresServer.shared.database()
        let (storage, other) = (
            PostgresTokenStorage(try await place.open()), PostgresTokenStorage(try await place.open())
        )
        try await storage.save(.named("a"), for: key)
        try await place.setFull(true)
        let error = await failure {
            try await storage.withLease(for: key, duration: .seconds(30), until: { () -> Void? in nil }) { lease in
                try await storage.save(nil, for: key, under: lease)
            }
        }
        #expect(error?.code == .diskFull)
        try await place.setFull(false)
        #expect(try await other.lease(key) != nil)
        #expect(try await other.tokens(for: key)?.accessToken.value == "a")
    }

    /// The lease under which a write failed outlives its duration, while the write is repeated.
    @Test func aFailedWriteExtendsItsLease() async throws {
        let place = try await PostgresServer.shared.database()
        let (storage, other) = (
            PostgresTokenStorage(try await place.open()), PostgresTokenStorage(try await place.open())
        )
        try await storage.save(.named("a"), for: key)
        try await place.setFull(true)
        let leases = Mutex<[OAuth2Lease]>([])
        let error = await failure {
            try await storage.withLease(for: key, duration: .seconds(3), until: { () -> Void? in nil }) { lease in
                leases.withLock { $0 = [lease].compactMap { $0 } }
                try await storage.save(.named("b"), for: key, under: lease)
            }
        }
        #expect(error?.code == .diskFull)
        let renewed = "SELECT renewed FROM httpconv_token"
        let before = try await place.psql(renewed)
        while try await place.psql(renewed) == before { try await Task.sleep(for: .milliseconds(50)) }
        #expect(try await other.lease(key) == nil)
        try await place.setFull(false)
        try await storage.save(.named("b"), for: key, under: leases.withLock { $0.first })
        #expect(try await other.lease(key) != nil)
        #expect(try await other.tokens(for: key)?.accessToken.value == "b")
    }

    /// The tables are on a disk of 4 MiB that is full to the last page.
    @Test func aSmallDiskThatIsFullChangesNothing() async throws {
        let server = try await PostgresServer(smallDisk: "4m")
        try await server.psql("CREATE TABLESPACE small OWNER app LOCATION '\(server.directory)/small'")
        let place = try await server.database()
        let storage = PostgresTokenStorage(try await place.open())
        try await storage.save(.named("a"), for: key)
        try await place.psql("ALTER TABLE httpconv_token SET TABLESPACE small")
        try await place.psql(
            """
            CREATE TABLE ballast (bytes text) TABLESPACE small;
            ALTER TABLE ballast ALTER bytes SET STORAGE PLAIN;
            DO $$ BEGIN LOOP INSERT INTO ballast VALUES (repeat('x', 8000)); END LOOP;
            EXCEPTION WHEN disk_full THEN NULL; END $$;
            """)
        // Too large for the pages that the table has.
        let tokens = OAuth2Tokens(accessToken: String(repeating: "canary", count: 20_000))
        let error = await failure { try await storage.save(tokens, for: key) }
        #expect(error?.code == .diskFull && error?.sqlState == "53100")
        #expect(error.map { "\($0)" }?.contains("canary") == false)
        let other = PostgresTokenStorage(try await place.open())
        #expect(try await other.tokens(for: key)?.accessToken.value == "a")
        try await place.psql("DROP TABLE ballast")
        try await storage.save(tokens, for: key)
        #expect(try await other.tokens(for: key) == tokens)
    }

    /// Each step of each statement, with the connection cut there: the operation succeeds all the same, and once.
    @Test(arguments: PostgresStatement.allCases, PostgresStep.Moment.allCases)
    func aConnectionIsCut(at statement: PostgresStatement, _ moment: PostgresStep.Moment) async throws {
        let place = try await PostgresServer.shared.database()
        let step = PostgresStep(statement, moment)
        let arm = Arm(statement == .open || statement == .listen)
        let handle = try await place.open { configuration in
            configuration.failPoint = { reached in
                guard reached == step, arm.armed.exchange(false, ordering: .relaxed) else { return false }
                arm.cuts.add(1, ordering: .relaxed)
                return true
            }
        }
        let storage = PostgresTokenStorage(handle)
        while handle.changes.session == 0 { try await Task.sleep(for: .milliseconds(2)) }
        if ![.open, .listen].contains(statement) { arm.armed.store(true, ordering: .relaxed) }
        #expect(try await storage.tokens(for: key) == nil)
        try await storage.withLease(for: key, duration: .seconds(30), until: { nil }) { lease in
            let lease = try #require(lease)
            try await storage.save(.named("a"), for: key, under: lease)
            if statement == .extend {
                // The next extension would be in time.
                do { try await storage.extendLease(lease) } catch { try await storage.extendLease(lease) }
            }
        }
        let other = PostgresTokenStorage(try await place.open())
        #expect(try await other.tokens(for: key)?.accessToken.value == "a")
        #expect(try await place.psql("SELECT version FROM httpconv_token") == "1")
        if statement != .release { #expect(try await other.lease(key) != nil) }
        try await storage.removeAllTokens()
        #expect(try await storage.tokens(for: key) == nil)
        try await storage.save(.named("b"), for: .number(2))
        if statement == .reencrypt {
            let next = try await PostgresTokenDatabase.open(
                place.configuration, key: try TestDatabase.key(9), formerKeys: [try TestDatabase.key()])
            _ = try await next.reencrypt()
        } else {
            #expect(arm.cuts.load(ordering: .relaxed) == 1)
        }
    }
}

/// Whether a fail point cuts the next connection, and how many it has cut.
private final class Arm: Sendable {
    let armed: Atomic<Bool>
    let cuts = Atomic(0)

    init(_ isArmed: Bool) { armed = Atomic(isArmed) }
}
#endif
