import Foundation
import HttpConvVaultStorage
import Testing
import VaultWorker
import WorkerSupport

extension ProcessTests {
    /// Twenty processes share a vault, and the server's tokens live for a second.
    ///
    /// `scripts/vault-rotation` runs it for a minute.
    @Suite("Rotation every second", .timeLimit(.minutes(10)))
    struct RotationTests {
        private static let seconds = Int(ProcessInfo.processInfo.environment["VAULT_ROTATION_SECONDS"] ?? "") ?? 8

        @Test func nobodyLosesATokenAndNobodyIsAsked() async throws {
            let landscape = try await LandscapeProcess()
            let client = landscape.client
            try await RotationRun(client, on: landscape, seconds: Self.seconds).run()
            #expect(try await VaultTokenStorage(client.open()).lease(client.key) != nil, "a lease was left behind")
        }

        /// Tokens of the others look expired to half of the processes, and theirs last ten minutes longer for the
        /// others. Leases end by the machine's date, which all have.
        @Test func clocksThatDifferByTenMinutesLoseNothing() async throws {
            let landscape = try await LandscapeProcess()
            try await RotationRun(landscape.client, on: landscape, seconds: Self.seconds) { $0.ahead = 600 }.run()
        }
    }
}
