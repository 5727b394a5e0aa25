import Foundation
import Landscape
import Testing

/// Many processes with one profile.
@Suite(.timeLimit(.minutes(1)), .serialized) struct WebProcessesTests {
    @Test func twentyProcessesOneLogin() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
            let url = profile.url("/saml/post-post/x")
            #expect(try await profile.run(url).status == 0)
            landscape.expireSAMLSessions()
            let gate = landscape.holdIdentityProvider()
            let commands = try (0..<20).map { _ in try profile.start([url]) }
            // One was the first run's, and one the repetition of it.
            try await landscape.waitFor(count: 22, path: "/saml/post-post/x")
            gate.release()
            for command in commands {
                let outcome = await command.outcome()
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(outcome.text.contains("\"user\":\"alice\""))
            }
            #expect(landscape.samlCounters.logins == 2)
            // What they leave is the session that they used.
            #expect(try await profile.run(url).status == 0)
            #expect(landscape.samlCounters.logins == 2)
        }
    }

    /// Each further attempt would bring the account closer to being locked.
    @Test func waitingProcessesDoNotRepeatRefusedAnswers() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try WebProfile(landscape, in: sandbox)
            let gate = landscape.holdIdentityProvider()
            let arguments = ["--answer", "user=alice", "--answer", "password=wrong", profile.url("/saml/post-post/x")]
            let commands = try (0..<4).map { _ in try profile.start(arguments) }
            while commands.count(where: { $0.errorsSoFar.contains("this one waits") }) < 3 {
                try await Task.sleep(for: .milliseconds(10))
            }
            gate.release()
            for command in commands {
                let outcome = await command.outcome()
                #expect(outcome.status == 67)
                #expect(outcome.errors.contains("Unknown user or wrong password"), "\(outcome.errors)")
            }
            #expect(landscape.samlCounters.failedPasswords == 1)
        }
    }

    @Test func killedProcessLeavesNoLock() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
            let url = profile.url("/saml/post-post/x")
            let gate = landscape.holdIdentityProvider()
            let first = try RunningCommand([url], in: sandbox, environment: WebProfile.environment)
            try await landscape.waitFor(count: 1, path: "/SAMLAuthLauncher")
            let second = try profile.start([url])
            while !second.errorsSoFar.contains("this one waits") { try await Task.sleep(for: .milliseconds(10)) }
            first.signal(SIGKILL)
            gate.release()
            #expect(await first.outcome().status == 128 + SIGKILL)
            #expect(await second.outcome().text.contains("\"user\":\"alice\""))
        }
    }
}
