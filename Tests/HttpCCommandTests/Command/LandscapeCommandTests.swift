import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct LandscapeCommandTests {
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

    @Test(
        arguments: [
            ("--ca-out", "nowhere/ca.pem", "No such file"),
            ("--certificates-out", "file/certificates", "Not a directory"),
        ])
    func saysWhichFileCannotBeWrittenAndWhy(option: String, path: String, reason: String) async throws {
        let sandbox = try Sandbox()
        try sandbox.write("", to: "file")
        let outcome = try await sandbox.httpc("landscape", option, path)
        #expect(outcome.status == 23)
        #expect(outcome.errors.contains(path) && outcome.errors.contains(reason), "\(outcome.errors)")
    }
}
