import Foundation
import HttpConvVaultStorage
import TestLandscape
import Testing
import VaultWorker
import WorkerSupport

extension ProcessTests {
    /// Suspends a process in a rotation past its lease; another one takes over, and the first is continued.
    @Suite("A holder that was stopped", .timeLimit(.minutes(1)))
    struct StoppedHolderTests {
        @Test(arguments: [RotationStep.beforeSend, .beforeReceive, .afterReceive])
        func stopped(at step: RotationStep) async throws {
            let landscape = try await LandscapeProcess()
            var client = landscape.client.person
            client.lease = 300
            #expect(try await landscape.work(client, .request(path: "/api/first", times: 1)) == 0)
            client.ahead = 1_000_000
            let (ready, file) = (landscape.path("ready"), landscape.path("go-on"))
            async let stopped = landscape.work(
                client, .stop(path: "/api/stopped", at: step, ready: ready, file: file))
            try await landscape.wait { FileManager.default.fileExists(atPath: ready) }
            #expect(try await landscape.work(client, .request(path: "/api/other", times: 1)) == 0)
            let storage = VaultTokenStorage(try await client.open())
            let newer = try await storage.tokens(for: client.key)
            try Data().write(to: URL(fileURLWithPath: file))
            let pid = try #require(Int32(try String(contentsOfFile: ready, encoding: .utf8)))
            // It may be suspended only now: continue it until it has ended.
            let waker = Task { while kill(pid, SIGCONT) == 0 { try await Task.sleep(for: .milliseconds(20)) } }
            #expect(try await stopped == 0)
            waker.cancel()
            // Its tokens were older than the stored ones. (If it sends late, the server revokes all tokens.)
            if step != .beforeSend { #expect(try await storage.tokens(for: client.key) == newer) }
            #expect(try await landscape.work(client, .request(path: "/api/other", times: 2)) == 0)
            let counters = try await landscape.counters
            #expect(counters.grants["password"] == 2, "one login more than the first")
            #expect(counters.reuseDetected == 1)
            #expect(try await landscape.statuses("/api/stopped").last == 200)
            try await client.checkStore()
        }
    }
}
