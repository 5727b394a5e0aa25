import Foundation
import TestLandscape
import Testing
import VaultWorker
import WorkerSupport

extension ProcessTests {
    /// Kills a process at each step of a rotation, and checks the state for the next process.
    @Suite("Killed in a rotation", .timeLimit(.minutes(1)))
    struct KilledRotationTests {
        @Test(arguments: RotationStep.allCases) func killed(at step: RotationStep) async throws {
            let landscape = try await LandscapeProcess()
            let client = try await landscape.killInRotation(landscape.client, at: step)
            let isIssued = step.losesTokens || step == .afterCommit
            #expect(try await landscape.counters.refreshes == (isIssued ? 1 : 0))
            try await client.checkStore()
            try await Self.goOn(client, landscape, step)
        }

        /// Runs new processes: they succeed with the old or the new pair, or fail repeatedly with an error that asks
        /// for a login. After the login everything works.
        private static func goOn(
            _ client: VaultClient, _ landscape: LandscapeProcess, _ step: RotationStep
        ) async throws {
            let expected = step.losesTokens ? Outcome.loginNeeded : .succeeded
            for _ in 0..<2 {
                #expect(try await landscape.work(client, .request(path: "/api/next", times: 1)) == expected.rawValue)
            }
            #expect(try await landscape.counters.reuseDetected == (step.losesTokens ? 1 : 0))
            #expect(try await landscape.work(client.person, .request(path: "/api/next", times: 2)) == 0)
            #expect(try await landscape.work(client, .request(path: "/api/next", times: 2)) == 0)
            let counters = try await landscape.counters
            #expect(counters.grants["password"] == (step.losesTokens ? 2 : 1))
            #expect(counters.reuseDetected == (step.losesTokens ? 1 : 0))
            #expect(counters.refreshes == 1)
            try await client.checkStore()
        }
    }
}
