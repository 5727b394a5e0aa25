import Foundation
import TestLandscape
import Testing
package import VaultWorker

/// Twenty processes share a storage, and the server's tokens live for a second: nobody loses a token, and nobody is
/// asked.
package struct RotationRun: Sendable {
    private let processes = 20
    private let seconds: Int
    private let landscape: LandscapeProcess
    private let client: VaultClient
    private let change: @Sendable (inout VaultClient) -> Void

    /// - Parameters:
    ///   - seconds: how long the tokens rotate
    ///   - change: changes the client of every second process
    package init(
        _ client: VaultClient, on landscape: LandscapeProcess, seconds: Int,
        half change: @escaping @Sendable (inout VaultClient) -> Void = { _ in }
    ) {
        (self.client, self.landscape, self.seconds, self.change) = (client, landscape, seconds, change)
    }

    /// Runs the processes, and checks the counts of the server.
    ///
    /// - Parameter disturb: runs while the tokens rotate
    package func run(_ disturb: @Sendable () async throws -> Void = {}) async throws {
        try await landscape.order("oauth/rule?access=1")
        #expect(try await landscape.work(client.person, .request(path: "/api/first", times: 1)) == 0)
        let stop = landscape.path("stop")
        async let workers = work(until: stop)
        // Start counting when all processes are running.
        for number in 0..<processes {
            try await landscape.wait { try await !landscape.statuses("/api/\(number)").isEmpty }
        }
        let before = try await landscape.counters.refreshes
        async let disturbance: Void = disturb()
        // Not a synchronisation: the tokens rotate during this time.
        try await Task.sleep(for: .seconds(seconds))
        try await disturbance
        let after = try await landscape.counters.refreshes
        try Data().write(to: URL(fileURLWithPath: stop))
        #expect(try await workers == Array(repeating: 0, count: processes))
        // One rotation per second, less on a busy machine.
        #expect(after - before >= seconds / 2)
        try await check()
    }

    private func work(until stop: String) async throws -> [Int32] {
        try await withThrowingTaskGroup { group in
            for number in 0..<processes {
                group.addTask {
                    var client = client
                    if number.isMultiple(of: 2) { change(&client) }
                    return try await landscape.work(client, .requestUntil(path: "/api/\(number)", file: stop))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func check() async throws {
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
            #expect(count >= seconds / 2, "process \(number)")
            served += count
        }
        print(
            "\(processes) processes, \(served) requests served, \(counters.refreshes) rotations,",
            "\(counters.bearerRefused) access tokens refused, \(counters.invalidGrants) invalid_grant,",
            "\(counters.reuseDetected) reused, \(counters.codes) logins")
    }
}
