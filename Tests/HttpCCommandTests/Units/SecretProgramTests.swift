#if os(Linux)
import Foundation
import HttpC
import HttpConvSystem
import Testing

@testable import HttpCClient
@testable import HttpCTerminal

/// Programs that print secrets.
@Suite(.timeLimit(.minutes(1))) struct SecretProgramTests {
    private static let secret = "geheim-4f1d9ab3"

    private func programs(_ more: [String: String] = [:], time: Duration = .seconds(30)) -> SecretPrograms {
        SecretPrograms(environment: ["PATH": "/usr/bin:/bin"].merging(more) { $1 }, time: time)
    }

    private func shell(_ script: String) -> [String] { ["sh", "-c", script] }

    private func problem(_ programs: SecretPrograms, _ words: [String]) async throws -> SecretPrograms.Problem {
        try #require(
            await #expect(throws: SecretPrograms.Problem.self) { _ = try await programs.line(of: words, "password") })
    }

    @Test func theFirstLineIsTheSecret() async throws {
        let programs = programs()
        for (words, secret) in [
            (shell("printf 'ge heim\\r\\nuser: alice\\n'"), "ge heim"), (shell("printf 'gehéim'"), "gehéim"),
            (["/bin/echo", "a b", "c"], "a b c"),
        ] {
            #expect(try await programs.line(of: words, "password").value == secret)
        }
    }

    /// A secret in another variable, our descriptors, our terminal and our standard input stay here.
    @Test func aProgramGetsNothingOfOurs() async throws {
        let programs = programs([
            "PORTAL_PASSWORD": Self.secret, "HTTPC_VAULT_KEY": Self.secret, "GPG_TTY": "/dev/pts/9",
        ])
        let environment = try await programs.line(of: shell("env | sort | tr '\\n' ' '"), "password").value
        #expect(environment.contains("GPG_TTY=/dev/pts/9") && environment.contains("PATH=/usr/bin:/bin"))
        #expect(!environment.contains(Self.secret))
        let file = try #require(FileHandle(forWritingAtPath: "/dev/null"))
        defer { try? file.close() }
        // A fourth one is the directory that ls reads.
        #expect(try await programs.line(of: shell("ls -x /proc/self/fd"), "password").value == "0  1  2  3")
        #expect(try await programs.line(of: shell("cat; readlink /proc/self/fd/0"), "password").value == "/dev/null")
        #expect(try await programs.line(of: shell("(: </dev/tty) 2>&- || echo none"), "password").value == "none")
    }

    @Test(arguments: [
        ("exit 3", SecretPrograms.Problem.failed(.status(3))), ("echo \(secret); exit 1", .failed(.status(1))),
        ("kill -9 $$", .failed(.status(137))), (":", .empty), ("echo; echo \(secret)", .empty),
        ("echo \(secret) >&2", .empty), ("printf '\\377\\376'", .notText), ("yes", .failed(.tooLong)),
        ("head -c 65537 /dev/zero", .failed(.tooLong)),
    ])
    func aProgramThatFails(script: String, problem: SecretPrograms.Problem) async throws {
        let found = try await self.problem(programs(), shell(script))
        #expect(found == problem)
        #expect(!found.message("password").contains(Self.secret) && !found.keyringMessage("x").contains(Self.secret))
    }

    @Test(arguments: ["no-such-program", "/nowhere/x", "/etc/passwd", "/tmp", ""])
    func aProgramThatIsNotThere(name: String) async throws {
        #expect(try await problem(programs(), [name]) == .notFound)
    }

    /// A file in the working directory is not a program of the PATH.
    @Test func aRelativeDirectoryOfThePathDoesNotCount() async throws {
        #expect(try await problem(programs(["PATH": ".:bin:"]), ["sh", "-c", "echo x"]) == .notFound)
    }

    @Test(arguments: ["sleep 600", "exec >&-; sleep 600", "sleep 600 & wait"])
    func aProgramThatHangsIsKilled(script: String) async throws {
        let mark = UUID().uuidString
        let found = try await problem(programs(time: .milliseconds(500)), ["sh", "-c", script, mark])
        #expect(found == .failed(.timedOut))
        #expect(!isRunning(mark))
    }

    /// A program may leave a process behind that keeps its output open.
    @Test func aProcessThatStaysBehindHoldsNothingUp() async throws {
        #expect(try await programs().line(of: shell("sleep 20 & echo x"), "password").value == "x")
    }

    @Test func eachProgramRunsOnce() async throws {
        let sandbox = try Sandbox()
        let programs = programs()
        let words = shell("echo run >> '\(sandbox.path("runs"))'; sleep 0.2; echo x")
        let lines = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await programs.line(of: words, "password").value } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(lines == Array(repeating: "x", count: 20))
        #expect(String(decoding: sandbox.read("runs") ?? Data(), as: UTF8.self) == "run\n")
        let failing = shell("echo run >> '\(sandbox.path("failures"))'; exit 1")
        for _ in 0..<3 { #expect(try await problem(programs, failing) == .failed(.status(1))) }
        #expect(String(decoding: sandbox.read("failures") ?? Data(), as: UTF8.self) == "run\n")
    }

    /// An assertion may be valid only once, and has several lines.
    @Test func assertionsArePrintedForEachUse() async throws {
        let sandbox = try Sandbox()
        let programs = programs()
        let runs = sandbox.path("runs")
        let source = SecretSource.command(shell("echo run >> '\(runs)'; echo; cat '\(runs)'; echo"))
        for expected in ["run", "run\nrun"] {
            let read = try await SecretReader.read(source, "assertion", part: .whole, programs: programs)
            #expect(read?.value == expected)
        }
        let empty = SecretSource.command(shell("echo; echo"))
        await #expect(throws: CommandFailure.self) {
            try await SecretReader.read(empty, "assertion", part: .whole, programs: programs)
        }
        let file = try sandbox.write(" a\n b\n", to: "file")
        #expect(try await SecretReader.read(.file(file), "assertion", part: .whole)?.value == "a\n b")
        let long = try sandbox.write(String(repeating: "a", count: (64 << 10) + 1), to: "long")
        await #expect(throws: CommandFailure.self) {
            try await SecretReader.read(.file(long), "assertion", part: .whole)
        }
    }

    /// Without a failure, an empty password would be sent, and count as a try.
    @Test(arguments: [SecretReader.Part.firstLine, .whole]) func aFileThatCannotBeReadIsNoEmptySecret(
        part: SecretReader.Part
    ) async throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path("folder")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let failure = try #require(
            await #expect(throws: CommandFailure.self) {
                try await SecretReader.read(.file(folder), part: part)
            })
        #expect(failure.status == .loginFailed && failure.message.contains(folder), "\(failure.message)")
        #expect(failure.message.contains("Is a directory"), "\(failure.message)")
    }

    /// Some editors begin a file with a byte order mark.
    @Test(arguments: [SecretReader.Part.firstLine, .whole]) func aByteOrderMarkIsNoPartOfASecret(
        part: SecretReader.Part
    ) async throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write("\u{FEFF}pass\n", to: "marked")
        let read = try await SecretReader.read(.file(file), part: part)
        #expect(read.map { Array($0.value.utf8) } == Array("pass".utf8))
        // The mark does not count among the bytes of the longest text.
        let longest = try sandbox.write("\u{FEFF}" + String(repeating: "a", count: 64 << 10), to: "longest")
        #expect(try await SecretReader.read(.file(longest), part: part)?.value.utf8.count == 64 << 10)
    }

    @Test func aProgramRunsAgainAfterAFailureOrARefusal() async throws {
        let sandbox = try Sandbox()
        let programs = SecretPrograms(environment: ["PATH": "/usr/bin:/bin"], pause: .zero)
        let (runs, go) = (sandbox.path("runs"), sandbox.path("go"))
        let words = shell("echo run >> '\(runs)'; test -e '\(go)' && wc -l < '\(runs)'")
        #expect(try await problem(programs, words) == .failed(.status(1)))
        try sandbox.write("", to: "go")
        for _ in 0..<2 { #expect(try await programs.line(of: words, "password").value == "2") }
        programs.forget(words)
        #expect(try await programs.line(of: words, "password").value == "3")
        // A secret that is newer than the pause stays.
        let patient = self.programs()
        for _ in 0..<2 {
            #expect(try await patient.line(of: words, "password").value == "4")
            patient.forget(words)
        }
    }

    @Test func aCancelledWaitEndsTheProgram() async throws {
        let sandbox = try Sandbox()
        let programs = programs()
        let mark = UUID().uuidString
        // The shell waits by itself: a process that it starts has the mark, too, until it runs its program or is gone.
        let script = "mkfifo \"$0.wait\"; echo x >> \"$0\"; test -e \"$0.go\" || read line < \"$0.wait\"; echo y"
        let words = ["sh", "-c", script, sandbox.path(mark)]
        let task = Task { try await programs.line(of: words, "password") }
        while sandbox.read(mark) == nil { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        await #expect(throws: SecretPrograms.Problem.cancelled) { try await task.value }
        #expect(!isRunning(mark))
        // Another request runs it again.
        try sandbox.write("", to: mark + ".go")
        #expect(try await programs.line(of: words, "password").value == "y")
    }

    private func isRunning(_ text: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.contains { name in
            guard Int32(name) != nil, let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline") else {
                return false
            }
            return String(decoding: line, as: UTF8.self).contains(text)
        }
    }

    @Test(arguments: [
        ("idp", ["service", "httpc", "key", "idp"]), ("my idp", ["service", "httpc", "key", "my idp"]),
        ("service=idp,user=a=b", ["service", "idp", "user", "a=b"]),
    ])
    func entriesOfTheKeyRing(entry: String, attributes: [String]) {
        #expect(SecretPrograms.lookUp(entry) == ["secret-tool", "lookup"] + attributes)
    }
}
#endif
