import Foundation
import TestLandscape
import Testing
import VaultWorker
import WorkerSupport

extension ProcessTests {
    /// Kills processes that only rotate tokens, one after the other, at random moments.
    ///
    /// `scripts/vault-kills` kills a thousand.
    @Suite("Random kills", .timeLimit(.minutes(60)))
    struct RandomKillTests {
        private static let kills = Int(ProcessInfo.processInfo.environment["VAULT_KILLS"] ?? "") ?? 20

        @Test func aLoginIsNeededOnlyBetweenIssueAndCommit() async throws {
            let landscape = try await LandscapeProcess()
            var client = landscape.client
            client.lease = 200
            #expect(try await landscape.work(client.person, .request(path: "/api/first", times: 1)) == 0)
            let journal = landscape.path("journal")
            for _ in 1...Self.kills {
                // The tokens of the previous process have expired for this one.
                client.ahead += 1e8
                let status = try await landscape.work(client, .rotateAndDie(journal: journal))
                try #require(status == 128 + SIGKILL)
                try await client.checkStore()
            }
            let text = try String(contentsOfFile: journal, encoding: .utf8)
            try Self.check(text, try await landscape.counters)
        }

        /// Checks the journal, whose letters are described at the worker's `RotatingVictim`.
        private static func check(_ journal: String, _ counters: OAuthCounters) throws {
            let lives = journal.split(separator: "B")
            try #require(lives.count == kills)
            #expect(lives.allSatisfy { $0.contains("O") }, "a process could not go on")
            var lost = 0
            for (life, next) in zip(lives, lives.dropFirst()) {
                // Tokens may be lost after a refresh was sent, until the new ones are committed.
                let mayBeLost = life.last != "c" && life.last != "O"
                if mayBeLost { lost += 1 }
                if next.contains("L") { #expect(mayBeLost, "a login though all was committed: \(life.suffix(8))") }
            }
            let logins = lives.count { $0.contains("L") }
            #expect(counters.grants["password"] == 1 + logins)
            #expect(counters.reuseDetected == logins)
            #expect(counters.invalidGrants == logins)
            #expect(counters.refreshes > kills)
            print("\(kills) kills, \(counters.refreshes) rotations, \(lost) killed in one, \(logins) logins needed")
        }
    }
}
