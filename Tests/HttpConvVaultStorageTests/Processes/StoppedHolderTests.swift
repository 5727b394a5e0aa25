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
            let client = landscape.client.person
            let storage = VaultTokenStorage(try await client.open())
            // If it sends late, the server revokes all tokens.
            try await StoppedHolderRun(client, on: landscape).run(at: step, keepsNewer: step != .beforeSend) {
                try await storage.tokens(for: client.key)
            }
            #expect(try await landscape.counters.reuseDetected == 1)
            try await client.checkStore()
        }
    }
}
