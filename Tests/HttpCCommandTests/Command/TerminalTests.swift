import Foundation
import Landscape
import TestSupport
import Testing

/// What is shown on a terminal only.
@Suite(.timeLimit(.minutes(1))) struct TerminalTests {
    private func onTerminal(_ line: String, _ sandbox: Sandbox) async throws -> String {
        let command = try RunningCommand(
            ["-qec", "\(BuiltProduct.httpc) \(line)", "/dev/null"], in: sandbox, program: "/usr/bin/script",
            environment: ["SHELL": "/bin/sh"])
        return await command.outcome().text
    }

    @Test func slowTransferHasAProgressBar() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            landscape.raw.respond(
                path: "/slow",
                script: WireScript([
                    .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf".utf8)), .pause(.milliseconds(1100)),
                    .bytes(Array("ha".utf8)), .pause(.milliseconds(150)), .bytes(Array("lf".utf8)),
                ]))
            let url = landscape.urlString(.raw, "/slow")
            let shown = try await onTerminal("-o file \(url)", sandbox)
            #expect(shown.contains("75%"), "\(shown)")
            #expect(sandbox.read("file") == Data("halfhalf".utf8))
            let silent = try await onTerminal("-s -o file \(url)", sandbox)
            #expect(silent.isEmpty, "\(silent)")
        }
    }

    /// Security rule S23: said once, and only to a person.
    @Test func passwordHintIsShownOnce() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let url = landscape.urlString(.main, "/json")
            let piped = try await sandbox.httpc("-u", "alice:wonderland", url)
            #expect(piped.errors.isEmpty)
            let first = try await onTerminal("-u alice:wonderland \(url)", sandbox)
            #expect(first.contains("password-env"), "\(first)")
            let second = try await onTerminal("-u alice:wonderland \(url)", sandbox)
            #expect(!second.contains("password-env"), "\(second)")
        }
    }

    @Test func coloursAreForTerminalsWithoutObjection() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let line = "-v -o /dev/null \(landscape.urlString(.main, "/json"))"
            let coloured = try await onTerminal(line, sandbox)
            #expect(coloured.contains("\u{1B}[36m> GET"))
            let command = try RunningCommand(
                ["-qec", "\(BuiltProduct.httpc) \(line)", "/dev/null"], in: sandbox, program: "/usr/bin/script",
                environment: ["SHELL": "/bin/sh", "NO_COLOR": "1"])
            let plain = await command.outcome().text
            #expect(plain.contains("> GET"))
            #expect(!plain.contains("\u{1B}[36m"))
        }
    }
}
