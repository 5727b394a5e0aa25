#if PostgreSQL
import Foundation
import HttpConvAuthFlows
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
        let silent = try SilentHost(accepts: accepts)
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
        let silent = try SilentHost(accepts: true)
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

/// A listener that never answers.
private final class SilentHost: Sendable {
    let port: Int
    private let descriptors: [Int32]

    /// - Parameter accepts: whether the system accepts connections for it; otherwise its queue is full
    init(accepts: Bool) throws {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var descriptors = [listener]
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, size) == 0, listen(listener, accepts ? 64 : 0) == 0,
                    getsockname(listener, address, &size) == 0
                else { throw Failure() }
                for _ in 0..<(accepts ? 0 : 4) {
                    let client = socket(AF_INET, type, 0)
                    _ = fcntl(client, F_SETFL, fcntl(client, F_GETFL) | O_NONBLOCK)
                    _ = connect(client, address, size)
                    descriptors.append(client)
                }
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        self.descriptors = descriptors
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    struct Failure: Error {}
}
#endif
