import Foundation
import Synchronization
import TestSupport
import Testing

/// The command on a pseudo-terminal, with a person who answers its questions.
struct TerminalSession {
    /// A question, and the line that the person types when it is shown; nil if the person only reads it.
    typealias Answer = (question: String, typed: String?)

    let status: Int32
    /// Everything that the terminal showed, with `\n` as the line end.
    let text: String

    /// Runs the command to its end.
    ///
    /// - Parameter answers: in the order in which the questions come
    init(
        _ arguments: [String], in sandbox: Sandbox, environment: [String: String] = [:], answers: [Answer]
    ) async throws {
        let terminal = try PseudoTerminal()
        try terminal.resize(columns: 200)
        // --ctty makes its standard input the controlling terminal.
        let child = try ChildProcess(
            "/usr/bin/setsid", ["--ctty", "--wait", BuiltProduct.httpc] + arguments,
            environment: sandbox.environment.merging(["NO_COLOR": "1"]) { $1 }.merging(environment) { $1 },
            directory: sandbox.path(""), input: .file(terminal.path), output: .file(terminal.path),
            errors: .file(terminal.path))
        let hasEnded = Atomic<Bool>(false)
        async let ended = {
            let status = await child.status
            hasEnded.store(true, ordering: .releasing)
            return status
        }()
        do {
            for answer in answers {
                try await terminal.waitFor(answer.question) { hasEnded.load(ordering: .acquiring) }
                if let typed = answer.typed { try terminal.type(typed + "\n") }
            }
            // A full terminal would keep the command from ending.
            while !hasEnded.load(ordering: .acquiring) {
                _ = terminal.output
                try await Task.sleep(for: .milliseconds(5))
            }
        } catch {
            child.signal(SIGKILL)
            Issue.record("after \(terminal.output.suffix(1500))")
            throw error
        }
        status = await ended
        text = terminal.output.replacing("\r\n", with: "\n")
    }
}
