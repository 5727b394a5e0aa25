#if PostgreSQL
import Foundation
import HttpConvAuthFlows
import Synchronization
import TestSupport
import Testing

@testable import HttpConvPostgresStorage

/// Hosts of a connection string that never answer.
@Suite("PostgreSQL: silent hosts", .timeLimit(.minutes(2)))
struct SilentHostTests {
    private let key: OAuth2TokenKey

    init() throws { key = try .number(1) }

    /// - Parameter accepts: whether the first host accepts connections
    @Test(arguments: [true, false])
    func theNextHostIsTried(_ accepts: Bool) async throws {
        let silent = try SilentListener(accepts: accepts)
        let place = try await PostgresServer.shared.database()
        let start = ContinuousClock.now
        let handle = try await place.open { configuration in
            configuration.connection = place.connection.replacing(
                "host=localhost hostaddr=127.0.0.1 port=",
                with: "host=localhost,localhost hostaddr=127.0.0.1,127.0.0.1 port=\(silent.port),")
            configuration.timeout = .seconds(3)
        }
        #expect(handle.configuration.connection.contains("port=\(silent.port),\(place.server.port) "))
        #expect(ContinuousClock.now - start < handle.configuration.patience)
        let storage = PostgresTokenStorage(handle)
        try await storage.save(.named("a"), for: key)
        #expect(try await PostgresTokenStorage(place.open()).tokens(for: key)?.accessToken.value == "a")
        while !handle.health.isWell { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// A longer limit of the connection string, or none, does not count. All wait at the same time.
    @Test func connectingEnds() async throws {
        let silent = try SilentListener(accepts: true)
        let start = ContinuousClock.now
        await withTaskGroup { group in
            for option in ["", "connect_timeout=3600", "connect_timeout=0", "connect_timeout=-1", "connect_timeout=x"] {
                group.addTask {
                    var configuration = PostgresConfiguration(
                        "host=localhost hostaddr=127.0.0.1 port=\(silent.port) dbname=a user=a \(option)")
                    configuration.timeout = .seconds(2)
                    configuration.patience = .zero
                    let error = await failure { [configuration] in
                        _ = try await PostgresTokenDatabase.open(configuration, key: TestDatabase.key())
                    }
                    #expect(error?.code == .unavailable, "\(option)")
                    #expect(error?.message.contains("cannot be reached") == true, "\(option)")
                }
            }
        }
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    /// A database that answers no longer, although no connection ends, as after a cut in the network.
    @Test func aSilentDatabaseStallsNobody() async throws {
        let server = try await PostgresServer()
        let handle = try await server.database().open {
            ($0.timeout, $0.patience, $0.heartbeat) = (.seconds(6), .seconds(2), .milliseconds(100))
        }
        let storage = PostgresTokenStorage(handle)
        let keys = try (0..<40).map { try OAuth2TokenKey.number($0) }
        for key in keys { try await storage.save(.named("a"), for: key) }
        while !handle.health.isWell { try await Task.sleep(for: .milliseconds(10)) }
        try await server.order("freeze")
        while handle.health.isListening { try await Task.sleep(for: .milliseconds(10)) }
        let clock = ContinuousClock()
        let lookUps = try await clock.measure {
            try await withThrowingTaskGroup { group in
                for key in keys { group.addTask { try await storage.tokens(for: key)?.accessToken.value } }
                for try await token in group { #expect(token == "a") }
            }
        }
        // A look-up that waited for the database would take the whole timeout.
        #expect(lookUps < .seconds(5))
        for isUrgent in [false, true] {
            let waiting = await clock.measure {
                let error = await failure {
                    try await storage.withLease(
                        for: key, duration: .seconds(30), isUrgent: isUrgent, until: { nil }
                    ) { _ in }
                }
                #expect(error?.code == .unavailable)
            }
            #expect(waiting < (isUrgent ? .seconds(12) : .seconds(5)))
        }
        try await server.order("thaw")
        while !handle.health.isWell { try await Task.sleep(for: .milliseconds(10)) }
        try await storage.save(.named("b"), for: key)
        #expect(try await storage.tokens(for: key)?.accessToken.value == "b")
    }

    private final class SlowStatements: Sendable {
        let running = Mutex(0)
        let areOver = Mutex(false)
    }

    /// The global queue is that of files, keys and scrypt, and has about as many threads as there are processors.
    @Test func slowStatementsHoldUpNothingElse() async throws {
        var configuration = try await PostgresServer.shared.database().configuration
        configuration.connections = 12
        let pool = try PostgresPool(configuration)
        let statements = SlowStatements()
        try await withThrowingTaskGroup { group in
            for _ in 0..<configuration.connections {
                group.addTask {
                    try await pool.run(patience: .zero) { _ in
                        statements.running.withLock { $0 += 1 }
                        while !statements.areOver.withLock({ $0 }) { usleep(1000) }
                    }
                }
            }
            while statements.running.withLock({ $0 }) < configuration.connections {
                try await Task.sleep(for: .milliseconds(10))
            }
            // The statements go on until it has run.
            await withCheckedContinuation { continuation in
                DispatchQueue.global(qos: .userInitiated).async { continuation.resume() }
            }
            // A cancelled task does not wait for a connection.
            let queued = Task { try await pool.runCancellably(patience: .seconds(60)) { _ in } }
            queued.cancel()
            await #expect(throws: CancellationError.self) { try await queued.value }
            statements.areOver.withLock { $0 = true }
            try await group.waitForAll()
        }
        pool.close()
    }
}
#endif
