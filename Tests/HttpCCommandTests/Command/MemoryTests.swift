#if os(Linux)
import Foundation
import TestLandscape
import TestSupport
import Testing

/// The memory of the command, as other processes see it (security rule S29).
@Suite(.timeLimit(.minutes(1))) struct MemoryTests {
    /// Root may look into everything unless it gives that up; so do the command and the process that looks.
    private static let runner =
        geteuid() == 0
        ? ["/usr/bin/setpriv", "--inh-caps=-sys_ptrace", "--bounding-set=-sys_ptrace"] : ["/usr/bin/env"]

    /// Whether a process of the same user can look into another one.
    private func isOpen(_ command: RunningCommand, _ sandbox: Sandbox) async throws -> Bool {
        let look = try RunningCommand(
            Self.runner.dropFirst() + ["/usr/bin/readlink", "/proc/\(command.identifier)/fd/0"], in: sandbox,
            program: Self.runner[0])
        return await look.outcome().status == 0
    }

    private func start(_ words: [String], _ sandbox: Sandbox) throws -> RunningCommand {
        try RunningCommand(Self.runner.dropFirst() + words, in: sandbox, program: Self.runner[0])
    }

    @Test func isClosedToTheUsersProcesses() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let gate = landscape.hold("/json")
            let command = try start([BuiltProduct.httpc, landscape.urlString(.main, "/json")], sandbox)
            try await gate.waitForWaiters(1)
            #expect(try await !isOpen(command, sandbox))
            // Another program can be looked into.
            let other = try start(["/bin/sh", "-c", "echo here; exec sleep 60"], sandbox)
            try await other.waitForOutput("here")
            #expect(try await isOpen(other, sandbox))
            other.signal(SIGKILL)
            gate.release()
            #expect(await command.outcome().status == 0)
        }
    }
}
#endif
