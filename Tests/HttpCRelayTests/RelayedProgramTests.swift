import HttpCTerminal
import Testing

@testable import HttpCRelay

@Suite struct RelayedProgramTests {
    /// curl reads the lower-case name first, other programs the upper-case one.
    @Test(
        arguments: [
            ([:], "127.0.0.1"), (["no_proxy": ""], "127.0.0.1"), (["no_proxy": "a"], "a,127.0.0.1"),
            (["NO_PROXY": "a,b"], "a,b,127.0.0.1"), (["no_proxy": "a", "NO_PROXY": "b"], "a,127.0.0.1"),
            (["no_proxy": "", "NO_PROXY": "b"], "b,127.0.0.1"), (["no_proxy": "*"], "*"), (["NO_PROXY": " * "], "*"),
        ] as [([String: String], String)])
    func bothNamesHaveTheWholeList(given: [String: String], list: String) {
        let environment = RelayedProgram.withoutProxy(given.merging(["https_proxy": "http://proxy:1"]) { $1 })
        #expect(environment == ["no_proxy": list, "NO_PROXY": list, "https_proxy": "http://proxy:1"])
    }

    @Test(arguments: [
        ("no-such-program", "on the PATH"), ("/nowhere/program", "is not there"), ("/usr/bin/", "is a directory"),
        ("/etc/passwd", "chmod +x"),
    ])
    func aProgramThatCannotBeRunIsExplained(name: String, reason: String) async throws {
        let program = try RelayedProgram([name, "{url}"], overSocket: nil)
        let failure = await #expect(throws: CommandFailure.self) { try await program.perform(url: nil) }
        #expect(failure?.status == .usage && failure?.message.contains(reason) == true, "\(failure?.message ?? "")")
    }

    /// A session that cannot be saved fails the run, but hides no failure of the program.
    @Test func theProgramsFailureCountsBeforeOneOfSaving() throws {
        let diagnostics = Diagnostics(isSilent: true, style: TerminalStyle(isColoured: false), progress: nil)
        let failure = CommandFailure(.outputFailed, "not saved")
        #expect(try RelayRun.outcome(.success(7), saving: failure, diagnostics) == 7)
        #expect(try RelayRun.outcome(.success(0), saving: nil, diagnostics) == 0)
        for status in [nil, 0] as [Int32?] {
            let thrown = #expect(throws: CommandFailure.self) {
                try RelayRun.outcome(.success(status), saving: failure, diagnostics)
            }
            #expect(thrown?.status == .outputFailed)
        }
        let first = #expect(throws: CommandFailure.self) {
            try RelayRun.outcome(.failure(CommandFailure(.loginFailed, "first")), saving: failure, diagnostics)
        }
        #expect(first?.status == .loginFailed)
    }
}
