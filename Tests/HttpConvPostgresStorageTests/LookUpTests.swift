#if PostgreSQL
import Foundation
import TestSupport
import Testing
import VaultWorker

/// Processes that look tokens up, and renew some of them.
@Suite("PostgreSQL: look-ups by processes", .serialized, .timeLimit(.minutes(10)))
struct LookUpTests {
    /// The listener's thread may be in a handshake at that moment.
    @Test func aProcessMayExitAtOnce() async throws {
        let place = try await PostgresServer.shared.database()
        var client = VaultClient(vault: "", server: "https://s.example.com")
        client.database = place.connection
        let order = try WorkerOrder(client, .lookUp(keys: 1, times: 1, renewals: 0)).text
        for _ in 0..<30 { #expect(try await Program.run(BuiltProduct.vaultWorker, [order]).status == 0) }
    }

    /// `Benchmarks/storages.sh` names one that was built in release mode.
    private static let worker = ProcessInfo.processInfo.environment["LOOK_UP_WORKER"] ?? BuiltProduct.vaultWorker
    private static let readers = Int(ProcessInfo.processInfo.environment["POSTGRES_READERS"] ?? "") ?? 4

    /// Look-ups send nothing, but for tokens that another process has renewed. `Benchmarks/storages.sh` runs it with
    /// 100 processes and 1,000 keys.
    @Test(arguments: [true, false]) func lookUpsSendNothing(isPostgres: Bool) async throws {
        let keys = Self.readers * 10
        // Fewer where many processes share two processors.
        let (times, renewals) = Self.readers > 10 ? (1000, 4) : (5000, 20)
        let place = try await PostgresServer.shared.database()
        let vault = TemporaryPlace.unused("vault")
        defer { try? FileManager.default.removeItem(at: vault) }
        var client = VaultClient(vault: vault.path, server: "https://s.example.com")
        if isPostgres { client.database = place.connection }
        // 100 processes wait for two processors.
        client.databaseTimeout = 60
        // One process fills all keys: others would only wait for each other's leases.
        let filling = try WorkerOrder(client, .lookUp(keys: keys, times: 0, renewals: 0)).text
        try #require(try await Program.run(Self.worker, [filling]).status == 0)
        let folder = try TemporaryPlace.folder("ready")
        defer { try? FileManager.default.removeItem(at: folder) }
        let order = try WorkerOrder(
            client, .lookUp(keys: keys, times: times, renewals: renewals, folder: folder.path)
        ).text
        let counts = try await withThrowingTaskGroup(of: LookUpCount?.self) { group in
            for _ in 0..<Self.readers {
                group.addTask {
                    let outcome = try await Program.run(Self.worker, [order])
                    try #require(outcome.status == 0, "\(outcome.errors)")
                    return try JSONDecoder().decode(LookUpCount.self, from: outcome.output)
                }
            }
            // All begin together, when each has read everything once. This waits in a task of the group, so that a
            // reader that fails ends the wait.
            group.addTask {
                while try FileManager.default.contentsOfDirectory(atPath: folder.path).count < Self.readers {
                    try await Task.sleep(for: .milliseconds(10))
                }
                try Data().write(to: folder.appending(path: "go"))
                return nil
            }
            return try await group.reduce(into: [LookUpCount]()) { if let count = $1 { $0.append(count) } }
        }
        let (lookUps, renewed) = (counts.map(\.lookUps).reduce(0, +), Self.readers * renewals)
        let statements = counts.map(\.statements).reduce(0, +)
        // A renewal is three statements, and a look-up in each other process. Tokens that were saved before may be read
        // again.
        #expect(statements <= renewed * (5 + Self.readers) + Self.readers * keys)
        let rate = Double(lookUps) / (counts.map(\.seconds).max() ?? 1)
        print(
            "\(isPostgres ? "PostgreSQL" : "vault"): \(Self.readers) processes, \(keys) keys,",
            "\(lookUps) look-ups, \(renewed) renewals, \(statements) statements, \(Int(rate)) look-ups a second")
        print(
            "| \(isPostgres ? "PostgreSQL" : "vault") | \(Self.readers) | \(keys) | \(lookUps) | \(renewed) | \(Int(rate))",
            "| \(statements) | \(String(format: "%.3f", Double(statements) / Double(lookUps))) |")
    }
}
#endif
