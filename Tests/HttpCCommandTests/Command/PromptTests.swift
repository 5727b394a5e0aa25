import Foundation
import Landscape
import Testing

/// Passwords that are asked for, on a terminal that `script` provides.
@Suite(.timeLimit(.minutes(1))) struct PromptTests {
    private func onTerminal(_ line: String, _ sandbox: Sandbox) throws -> (RunningCommand, FileHandle) {
        let input = Pipe()
        let command = try RunningCommand(
            ["-qec", line, "/dev/null"], in: sandbox, program: "/usr/bin/script", environment: ["SHELL": "/bin/sh"],
            input: input)
        return (command, input.fileHandleForWriting)
    }

    @Test func asksWithoutEcho() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let url = landscape.urlString(.main, "/basic/realm1/page")
            let (command, input) = try onTerminal("\(RunningCommand.executable) -u alice \(url); stty -a", sandbox)
            try await command.waitForOutput("httpc: password of alice for http://127.0.0.1")
            try input.write(contentsOf: Data("wonderland\n".utf8))
            try await command.waitForOutput("speed")
            try input.close()
            let outcome = await command.outcome()
            #expect(outcome.text.contains("\"authenticated\""), "\(outcome.text)")
            #expect(outcome.text.contains("(realm \"realm1\")"))
            #expect(!outcome.text.contains("wonderland"))
            #expect(outcome.text.contains(" echo "), "echo is back")
        }
    }

    @Test func controlCRestoresTheTerminal() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let url = landscape.urlString(.main, "/basic/realm1/page")
            // The shell must survive the Ctrl-C that ends the command.
            let line = "trap : INT; \(RunningCommand.executable) -u alice \(url); echo status=$?; stty -a"
            let (command, input) = try onTerminal(line, sandbox)
            try await command.waitForOutput("password of alice")
            try input.write(contentsOf: Data([3]))
            try await command.waitForOutput("speed")
            try input.close()
            let outcome = await command.outcome()
            #expect(outcome.text.contains("status=130"), "\(outcome.text)")
            #expect(outcome.text.contains(" echo "), "echo is back")
        }
    }

    /// Security rule S21: nobody is asked for an origin that was not named.
    @Test func neverAsksForAnOriginThatWasNotNamed() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let url = landscape.urlString(.main, "/redirect/to/other?path=/basic/realm1/page")
            let line = "\(RunningCommand.executable) -u alice --location-trusted '\(url)'"
            let (command, input) = try onTerminal(line, sandbox)
            let outcome = await command.outcome()
            try input.close()
            #expect(landscape.requests(origin: .other).count == 1)
            #expect(!outcome.text.contains("password of"), "\(outcome.text)")
        }
    }

    @Test func realmCannotActOnTheTerminal() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let url = landscape.urlString(.main, "/basic/escapes/page")
            let (command, input) = try onTerminal("NO_COLOR=1 \(RunningCommand.executable) -f -u alice \(url)", sandbox)
            try await command.waitForOutput("password of alice")
            try input.write(contentsOf: Data("wrong\n".utf8))
            let outcome = await command.outcome()
            try input.close()
            #expect(outcome.text.contains("red alert"))
            #expect(!outcome.text.utf8.contains(0x1B), "\(outcome.text)")
        }
    }

    @Test func withoutTerminalSaysSo() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let url = landscape.urlString(.main, "/basic/realm1/page")
            let command = try RunningCommand(
                [RunningCommand.executable, "-f", "-u", "alice", url], in: sandbox, program: "/usr/bin/setsid")
            let outcome = await command.outcome()
            #expect(outcome.errors.contains("no terminal"), "\(outcome.errors)")
        }
    }
}
