import Foundation
import HttpConvVaultStorage
import TestLandscape
import Testing
import VaultWorker

extension ProcessTests {
    /// Twenty processes share a vault, and the server's tokens live for a second.
    ///
    /// `scripts/vault-rotation` runs it for a minute.
    @Suite("Rotation every second", .timeLimit(.minutes(10)))
    struct RotationTests {
        private static let processes = 20
        private static let seconds = Int(ProcessInfo.processInfo.environment["VAULT_ROTATION_SECONDS"] ?? "") ?? 8

        @Test func nobodyLosesATokenAndNobodyIsAsked() async throws {
            let landscape = try await LandscapeProcess()
            try await landscape.order("oauth/rule?access=1")
            let client = landscape.client
            #expect(try await landscape.work(client.person, .request(path: "/api/first", times: 1)) == 0)
            let stop = landscape.path("stop")
            async let workers = Self.run(client, landscape, until: stop)
            // Start counting when all processes are running.
            for number in 0..<Self.processes {
                try await landscape.wait { try await !landscape.statuses("/api/\(number)").isEmpty }
            }
            let before = try await landscape.counters.refreshes
            // Not a synchronisation: the tokens rotate during this time.
            try await Task.sleep(for: .seconds(Self.seconds))
            let after = try await landscape.counters.refreshes
            try Data().write(to: URL(fileURLWithPath: stop))
            #expect(try await workers == Array(repeating: 0, count: Self.processes))
            // One rotation per second, less on a busy machine.
            #expect(after - before >= Self.seconds / 2)
            try await Self.check(landscape)
        }

        private static func run(
            _ client: VaultClient, _ landscape: LandscapeProcess, until stop: String
        ) async throws -> [Int32] {
            try await withThrowingTaskGroup { group in
                for number in 0..<processes {
                    group.addTask {
                        try await landscape.work(client, .requestUntil(path: "/api/\(number)", file: stop))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }

        private static func check(_ landscape: LandscapeProcess) async throws {
            let counters = try await landscape.counters
            #expect(counters.reuseDetected == 0)
            #expect(counters.invalidGrants == 0)
            // Only the first process has logged in.
            #expect(counters.grants == ["password": 1, "refresh_token": counters.refreshes])
            #expect(counters.tokenRequests == counters.refreshes + 1)
            #expect(counters.peakTokenRequests == 1)
            #expect(counters.loginForms + counters.codes == 0)
            var served = 0
            for number in 0..<processes {
                let count = try await landscape.statuses("/api/\(number)").count { $0 == 200 }
                #expect(count >= seconds, "process \(number)")
                served += count
            }
            let client = landscape.client
            #expect(try await VaultTokenStorage(client.open()).lease(client.key) != nil, "a lease was left behind")
            print(
                "\(processes) processes, \(served) requests served, \(counters.refreshes) rotations,",
                "\(counters.bearerRefused) access tokens refused, \(counters.invalidGrants) invalid_grant,",
                "\(counters.reuseDetected) reused, \(counters.codes) logins")
        }
    }
}
