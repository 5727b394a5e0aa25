import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct DemoTests {
    @Test func everySceneGoesWellAndShowsNoSecret() async throws {
        let outcome = try await Sandbox().httpc("demo")
        #expect(outcome.status == 0, "\(outcome.text)")
        #expect(outcome.text.contains("went well"))
        // One conversation fails, as it should: the one that finds the vault locked.
        let failures = outcome.text.split(separator: "\n").filter { $0.contains("✗") }
        #expect(failures.count == 1 && failures[0].contains("The vault is locked"), "\(failures)")
        #expect(!outcome.text.utf8.contains(0x1B), "colours are for terminals")
        let secrets = [
            "wonderland", "looking-glass", "pässwörd€", "demo-key", "machine-secret", "through-the-wall",
            "demo passphrase", "rabbit-hole-6",
        ]
        for secret in secrets {
            #expect(Canary.forms(of: secret, in: outcome.text + outcome.errors) == [])
        }
    }

    @Test func landscapeRunsUntilInterrupted() async throws {
        let sandbox = try Sandbox()
        let command = try RunningCommand(["landscape", "--ca-out", "ca.pem"], in: sandbox)
        try await command.waitForOutput("Running until Ctrl-C")
        #expect(sandbox.read("ca.pem")?.isEmpty == false)
        let line = command.outputSoFar.split(separator: "\n").first { $0.contains(" secure ") }
        let url = try #require(line?.split(separator: " ").last)
        let answer = try await sandbox.httpc("--cacert", "ca.pem", "\(url)/json")
        #expect(answer.status == 0, "\(answer.errors)")
        command.signal(SIGINT)
        #expect(await command.outcome().status == 130)
    }
}
