#if PostgreSQL
import Foundation
import HttpConvAuthFlows
import TestLandscape
import Testing
import VaultWorker
import WorkerSupport

@testable import HttpConvPostgresStorage

/// Processes and servers; the tests run one after the other, because they need the whole machine.
///
/// `scripts/postgres-rotation` runs the rotations for a minute each.
@Suite("PostgreSQL: processes and servers", .serialized, .timeLimit(.minutes(10)))
struct FleetTests {
    private static let seconds = Int(ProcessInfo.processInfo.environment["POSTGRES_ROTATION_SECONDS"] ?? "") ?? 8

    /// A client of a landscape whose tokens are in a database.
    private func client(_ landscape: LandscapeProcess, _ place: TestDatabase) -> VaultClient {
        var client = landscape.client
        client.database = place.connection
        return client
    }

    @Test func nobodyLosesATokenAndNobodyIsAsked() async throws {
        let landscape = try await LandscapeProcess()
        let place = try await PostgresServer.shared.database()
        let client = client(landscape, place)
        try await RotationRun(client, on: landscape, seconds: Self.seconds).run()
        #expect(try await PostgresTokenStorage(place.open()).lease(client.key) != nil, "a lease was left behind")
    }

    @Test func norWhileTheDatabaseFails() async throws {
        let landscape = try await LandscapeProcess()
        let server = try await PostgresServer()
        let place = try await server.database()
        let client = client(landscape, place)
        // Each trouble comes in the middle of a part of the time.
        let pause = Duration.seconds(Self.seconds) / 10
        try await RotationRun(client, on: landscape, seconds: 2 * Self.seconds).run {
            for trouble in ["restart", "cut", "full", "crash", "read-only"] {
                try await Task.sleep(for: pause)
                switch trouble {
                case "cut": try await place.cut()
                case "full":
                    try await place.setFull(true)
                    try await Task.sleep(for: .seconds(2))
                    try await place.setFull(false)
                case "crash":
                    try await server.order("crash")
                    try await server.order("start")
                case "read-only":
                    try await place.setReadOnly(true)
                    try await Task.sleep(for: .seconds(1))
                    try await place.setReadOnly(false)
                default: try await server.order(trouble)
                }
            }
        }
    }

    /// Tokens of the others look expired to half of the processes, and theirs last ten minutes longer for the others.
    @Test func clocksThatDifferByTenMinutesLoseNothing() async throws {
        let landscape = try await LandscapeProcess()
        let place = try await PostgresServer.shared.database()
        let client = client(landscape, place)
        try await RotationRun(client, on: landscape, seconds: Self.seconds) { $0.ahead = 600 }.run()
    }

    /// A lease that this process has just taken looks long expired to one whose clock is ten minutes ahead.
    @Test func leasesEndByTheDatabasesClock() async throws {
        let landscape = try await LandscapeProcess()
        let place = try await PostgresServer.shared.database()
        var client = client(landscape, place)
        try await landscape.order("oauth/rule?access=60")
        #expect(try await landscape.work(client.person, .request(path: "/api/first", times: 1)) == 0)
        try await landscape.order("oauth/rule?access=3600")
        let storage = PostgresTokenStorage(try await place.open())
        let lease = try #require(try await storage.lease(client.key))
        // The request for the lease is then not the last statement of this connection.
        try await storage.extendLease(lease)
        client.ahead = 600
        let refreshes = try await landscape.counters.refreshes
        async let waiting = landscape.work(client, .request(path: "/api/ahead", times: 1))
        var requests: Set<String> = []
        while requests.count < 3 {
            let start = try await place.psql(
                """
                SELECT max(query_start) FROM pg_stat_activity
                WHERE datname = '\(place.name)' AND query LIKE '%expires = excluded.expires%' AND pid <> pg_backend_pid()
                """)
            if !start.isEmpty { requests.insert(start) }
        }
        #expect(try await landscape.counters.refreshes == refreshes)
        await storage.releaseLease(lease)
        #expect(try await waiting == 0)
        #expect(try await landscape.counters.refreshes == refreshes + 1)
        #expect(try await landscape.counters.invalidGrants == 0)
    }

    /// A process is suspended in a rotation past its lease; another one takes over, and the first is continued.
    @Test(arguments: [RotationStep.beforeReceive, .afterReceive, .beforeWrite])
    func aStoppedHolderOverwritesNothing(step: RotationStep) async throws {
        let landscape = try await LandscapeProcess()
        let place = try await PostgresServer.shared.database()
        let client = client(landscape, place)
        try await StoppedHolderRun(client, on: landscape).run(at: step) {
            try await PostgresTokenStorage(place.open()).tokens(for: client.key)
        }
    }

    /// A process is killed at each step of a rotation: the next one goes on, or asks for a login.
    @Test(arguments: RotationStep.allCases)
    func aKilledProcessLeavesAUsablePairOrALogin(step: RotationStep) async throws {
        let landscape = try await LandscapeProcess()
        let place = try await PostgresServer.shared.database()
        let client = try await landscape.killInRotation(client(landscape, place), at: step)
        // The database may have got the write or not.
        let outcome = try await landscape.work(client, .request(path: "/api/next", times: 1))
        switch step {
        case .beforeSend, .afterSend, .afterCommit: #expect(outcome == Outcome.succeeded.rawValue)
        case .beforeReceive, .afterReceive, .beforeWrite: #expect(outcome == Outcome.loginNeeded.rawValue)
        case .afterWrite: #expect([Outcome.succeeded, .loginNeeded].map(\.rawValue).contains(outcome))
        }
        #expect(try await landscape.work(client.person, .request(path: "/api/next", times: 2)) == 0)
        let logins = try await landscape.counters.grants["password"]
        #expect(logins == (outcome == 0 ? 1 : 2))
    }
}
#endif
