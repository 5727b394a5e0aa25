import Foundation
import TestSupport

/// `httpc relay` without a program, in a sandbox, and curl as its client.
struct RunningRelay {
    let command: RunningCommand
    private let sandbox: Sandbox
    /// The URL with the secret.
    let url: String

    init(_ arguments: [String], in sandbox: Sandbox, environment: [String: String] = [:]) async throws {
        self.sandbox = sandbox
        command = try RunningCommand(["relay"] + arguments, in: sandbox, environment: environment)
        try await command.waitForOutput("\n")
        url = String(command.outputSoFar.dropLast())
    }

    func curl(_ arguments: String...) async throws -> RunningCommand.Outcome {
        try await RunningCommand(["-sS"] + arguments, in: sandbox, program: "/usr/bin/curl").outcome()
    }

    /// Ends the relay as the system does.
    func end() async -> RunningCommand.Outcome {
        command.signal(SIGTERM)
        return await command.outcome()
    }

    /// The peak of resident memory in KiB.
    func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(command.identifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? .max
    }
}
