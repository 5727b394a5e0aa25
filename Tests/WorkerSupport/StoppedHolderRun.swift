import Foundation
import Testing
package import VaultWorker

/// A process is suspended in a rotation past its lease; another one takes over, and the first is continued.
package struct StoppedHolderRun: Sendable {
    private let landscape: LandscapeProcess
    private let client: VaultClient

    package init(_ client: VaultClient, on landscape: LandscapeProcess) {
        (self.client, self.landscape) = (client.person, landscape)
    }

    /// Runs the processes, and checks the counts of the server.
    ///
    /// - Parameters:
    ///   - keepsNewer: whether the tokens of the other process are the stored ones at the end
    ///   - stored: reads the stored tokens
    package func run(
        at step: RotationStep, keepsNewer: Bool = true, stored: () async throws -> (some Equatable)?
    ) async throws {
        var client = client
        client.lease = 300
        #expect(try await landscape.work(client, .request(path: "/api/first", times: 1)) == 0)
        client.ahead = 1_000_000
        let (ready, file) = (landscape.path("ready"), landscape.path("go-on"))
        async let stopped = landscape.work(
            client, .stop(path: "/api/stopped", at: step, ready: ready, file: file))
        try await landscape.wait { FileManager.default.fileExists(atPath: ready) }
        #expect(try await landscape.work(client, .request(path: "/api/other", times: 1)) == 0)
        let newer = try await stored()
        try Data().write(to: URL(fileURLWithPath: file))
        let pid = try #require(Int32(try String(contentsOfFile: ready, encoding: .utf8)))
        // It may be suspended only now: continue it until it has ended.
        let waker = Task { while kill(pid, SIGCONT) == 0 { try await Task.sleep(for: .milliseconds(20)) } }
        #expect(try await stopped == 0)
        waker.cancel()
        if keepsNewer { #expect(try await stored() == newer) }
        #expect(try await landscape.work(client, .request(path: "/api/other", times: 2)) == 0)
        #expect(try await landscape.counters.grants["password"] == 2, "one login more than the first")
        #expect(try await landscape.statuses("/api/stopped").last == 200)
    }
}
