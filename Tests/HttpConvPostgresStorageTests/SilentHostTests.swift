#if PostgreSQL
import Foundation
import HttpConvAuthFlows
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

    /// A longer limit of the connection string, or none, does not count.
    @Test(arguments: ["", "connect_timeout=3600", "connect_timeout=0", "connect_timeout=-1", "connect_timeout=x"])
    func connectingEnds(_ option: String) async throws {
        let silent = try SilentListener(accepts: true)
        var configuration = PostgresConfiguration(
            "host=localhost hostaddr=127.0.0.1 port=\(silent.port) dbname=a user=a \(option)")
        configuration.timeout = .seconds(2)
        configuration.patience = .zero
        let start = ContinuousClock.now
        let error = await failure { [configuration] in
            _ = try await PostgresTokenDatabase.open(configuration, key: TestDatabase.key())
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("cannot be reached") == true)
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}
#endif
