import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// `httpc relay start`, `status` and `stop`.
@Suite(.landscape, .timeLimit(.minutes(1))) struct RelayBackgroundTests {
    /// The processes in the background that a test has started, which must not outlive it.
    private final class Processes: Sendable {
        let sandbox: Sandbox

        init(_ sandbox: Sandbox) { self.sandbox = sandbox }

        deinit { for number in numbers { kill(number, SIGKILL) } }

        var files: [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: sandbox.path("state/httpc/.relays"))) ?? []
        }

        var numbers: [Int32] { files.compactMap { Int32($0.prefix(while: \.isNumber)) } }
    }

    private let landscape: Landscape
    private let sandbox: Sandbox
    private let processes: Processes

    init() throws {
        (landscape, sandbox) = (try .current, try Sandbox())
        processes = Processes(sandbox)
    }

    private func curl(_ arguments: String...) async throws -> RunningCommand.Outcome {
        try await RunningCommand(["-sS"] + arguments, in: sandbox, program: "/usr/bin/curl").outcome()
    }

    /// Starts relays, and returns their URLs.
    private func start(_ arguments: String...) async throws -> [String] {
        let outcome = try await sandbox.httpc(["relay", "start"] + arguments)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        return outcome.text.split(separator: "\n").map(String.init)
    }

    @Test func aRelayIsStartedListedAndStopped() async throws {
        let url = try #require(try await start(landscape.urlString(.main, "")).first)
        #expect(try await curl("-f", "\(url)/bytes/3").output.count == 3)
        #expect(sandbox.mode("state/httpc/.relays") == 0o700)
        let file = try #require(processes.files.first)
        #expect(processes.files.count == 1 && sandbox.mode("state/httpc/.relays/\(file)") == 0o600)
        let number = try #require(processes.numbers.first)
        let status = try await sandbox.httpc("relay", "status")
        #expect(status.text.contains("\(url) ") && status.text.contains(landscape.urlString(.main, "")))
        #expect(status.text.contains(" \(number)\n"))
        let stopped = try await sandbox.httpc("relay", "stop")
        #expect(stopped.status == 0 && stopped.errors.isEmpty, "\(stopped.errors)")
        #expect(processes.files.isEmpty)
        #expect(try await curl("\(url)/bytes/3").status == 7)
        let none = try await sandbox.httpc("relay", "status")
        #expect(none.status == 0 && none.output.isEmpty && none.errors.contains("no relay runs"))
    }

    @Test func aRecordThatCannotBeReadStaysWhileItsProcessRuns() async throws {
        _ = try await start(landscape.urlString(.main, ""))
        let file = try #require(processes.files.first)
        let record = sandbox.path("state/httpc/.relays/\(file)")
        try FileManager.default.moveItem(atPath: record, toPath: sandbox.path("moved"))
        try Data("damaged".utf8).write(to: URL(filePath: record))
        let number = try #require(processes.numbers.first)
        let other = sandbox.path("state/httpc/.relays/\(Int32.max)\(file.dropFirst("\(number)".count))")
        try Data("damaged".utf8).write(to: URL(filePath: other))
        #expect(try await sandbox.httpc("relay", "status").output.isEmpty)
        #expect(processes.files == [file])
        try FileManager.default.removeItem(atPath: record)
        try FileManager.default.moveItem(atPath: sandbox.path("moved"), toPath: record)
        #expect(try await sandbox.httpc("relay", "stop").status == 0)
        #expect(processes.files.isEmpty)
    }

    /// It is nobody's child, has no terminal, and gets no signal of the terminal's.
    @Test func itOutlivesItsTerminal() async throws {
        let target = landscape.urlString(.main, "")
        let line = "'\(BuiltProduct.httpc)' relay start '\(target)'"
        let outcome = await (try RunningCommand(onTerminal: line, in: sandbox)).outcome()
        let url = outcome.text.filter { $0 != "\r" && $0 != "\n" && $0 != "\r\n" }
        #expect(outcome.status == 0 && url.hasPrefix("http://127.0.0.1:"), "\(outcome.text)")
        let number = try #require(processes.numbers.first)
        #expect(getsid(number) == number)
        #expect(try await curl("-f", "\(url)/bytes/3").output.count == 3)
    }

    /// Each client of a relay needs two descriptors.
    @Test func itsLimitForDescriptorsIsRaised() async throws {
        let line = "ulimit -S -n 512 && exec \"$0\" relay start \"$1\""
        let outcome = await
            (try RunningCommand(
                ["-c", line, BuiltProduct.httpc, landscape.urlString(.main, "")], in: sandbox, program: "/bin/sh"
            )).outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let number = try #require(processes.numbers.first)
        let limits = try String(contentsOfFile: "/proc/\(number)/limits", encoding: .utf8)
        let words = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }?.split(separator: " ") ?? []
        try #require(words.count == 6, "\(limits)")
        let hard = try #require(Int(words[4]))
        #expect(Int(words[3]) == min(hard, 10_240))
    }

    @Test func oneProcessServesSeveralTargets() async throws {
        let targets = [landscape.urlString(.main, "/basic/realm1"), landscape.urlString(.other, "")]
        let socket = sandbox.path("relay.sock")
        let urls = try await start("-u", "alice:wonderland", targets[0], targets[1])
        #expect(urls.count == 2 && processes.files.count == 1)
        #expect(try await curl("-f", "\(urls[0])/x").text.contains("\"user\":\"alice\""))
        #expect(try await curl("-f", "\(urls[1])/bytes/3").output.count == 3)
        let others = try await start("--socket", socket, landscape.urlString(.main, ""))
        #expect(others == [socket] && processes.files.count == 2)
        #expect(try await curl("-f", "--unix-socket", socket, "http://localhost/bytes/3").output.count == 3)
        #expect(try await sandbox.httpc("relay", "stop", targets[1]).status == 0)
        #expect(processes.files.count == 1)
        #expect(try await curl("\(urls[0])/x").status == 7)
        #expect(try await sandbox.httpc("relay", "stop", socket).status == 0)
        #expect(processes.files.isEmpty && sandbox.mode("relay.sock") == nil)
        let again = try await sandbox.httpc("relay", "stop", targets[1])
        #expect(again.status == 2 && again.errors.contains("httpc relay status lists them"), "\(again.errors)")
    }

    @Test func noSecretIsInTheProcessList() async throws {
        _ = try await start("-u", "alice:wonderland", landscape.urlString(.main, ""))
        let number = try #require(processes.numbers.first)
        let words = try Data(contentsOf: URL(filePath: "/proc/\(number)/cmdline"))
        let shown = String(decoding: words, as: UTF8.self)
        #expect(shown.contains("relay\0serve\0") && !shown.contains("wonderland") && !shown.contains("alice"))
    }

    /// In the background nobody sees the code of a device.
    @Test func aLoginThatNeedsAPersonFailsAtOnce() async throws {
        try OAuth2Profile.install("device", landscape, in: sandbox)
        let url = try #require(try await start(landscape.urlString(.main, "/api/")).first)
        let outcome = try await curl("-w", "%{http_code}", "\(url)/1")
        #expect(outcome.text.hasSuffix("502"), "\(outcome.text) \(outcome.errors)")
        #expect(landscape.count(path: "/api/1") == 1)
        #expect(landscape.requests().allSatisfy { !$0.target.contains("device") })
    }

    /// In the background nobody is asked for it.
    @Test func aUserWithoutAPasswordIsRefused() async throws {
        let url = landscape.urlString(.main, "/basic/realm1/")
        let named = url.replacing("//", with: "//alice@")
        for arguments in [["-u", "alice", url], [named]] {
            let outcome = try await sandbox.httpc(["relay", "start"] + arguments)
            #expect(
                outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains("alice"), "\(outcome.errors)")
        }
        #expect(processes.files.isEmpty)
        try sandbox.write("machine 127.0.0.1 login alice password wonderland", to: ".netrc")
        let relay = try #require(try await start("-n", named).first)
        #expect(try await curl("-f", "\(relay)/x").text.contains("\"user\":\"alice\""))
    }

    @Test func openRequestsFinish() async throws {
        let url = try #require(try await start(landscape.urlString(.main, "")).first)
        let reader = try RunningCommand(
            ["-sSN", "\(url)/ticks?every=100&count=15"], in: sandbox, program: "/usr/bin/curl")
        try await reader.waitForOutput("data: tick 2\n")
        let stopped = try await sandbox.httpc("relay", "stop", "\(url)/")
        #expect(stopped.status == 0)
        let outcome = await reader.outcome()
        #expect(outcome.status == 0 && outcome.text.contains("data: tick 14\n"), "\(outcome.errors)")
    }

    @Test func aProcessThatIsGoneIsForgotten() async throws {
        _ = try await start(landscape.urlString(.main, ""))
        let number = try #require(processes.numbers.first)
        kill(number, SIGKILL)
        while FileManager.default.fileExists(atPath: "/proc/\(number)/exe") {
            try await Task.sleep(for: .milliseconds(5))
        }
        // The process has lost its memory, but runs for the system until it has closed its files.
        while try await sandbox.httpc("relay", "status").output.isEmpty == false {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(processes.files.isEmpty)
        let stopped = try await sandbox.httpc("relay", "stop")
        #expect(stopped.status == 0 && stopped.errors.contains("no relay runs"))
    }

    /// The number of a relay that is gone may be another program's by now.
    @Test func anotherProgramIsNotEnded() async throws {
        _ = try await start(landscape.urlString(.main, ""))
        let file = try #require(processes.files.first)
        let number = try #require(processes.numbers.first)
        let record = try #require(sandbox.read("state/httpc/.relays/\(file)"))
        let other = try RunningCommand(["60"], in: sandbox, program: "/bin/sleep")
        let text = String(decoding: record, as: UTF8.self).replacing("\(number)", with: "\(other.identifier)")
        let machine = file.dropFirst("\(number)".count)
        try sandbox.write(text, to: "state/httpc/.relays/\(other.identifier)\(machine)")
        try sandbox.write("{", to: "state/httpc/.relays/1\(machine)")
        #expect(try await sandbox.httpc("relay", "stop").status == 0)
        #expect(processes.files.isEmpty)
        #expect(kill(other.identifier, 0) == 0)
        other.signal(SIGTERM)
        #expect(await other.outcome().status == 143)
    }

    @Test func anIdleRelayEnds() async throws {
        let url = try #require(try await start("--idle-timeout", "3", landscape.urlString(.main, "")).first)
        #expect(try await curl("-f", "\(url)/bytes/3").output.count == 3)
        while !processes.files.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// A session that cannot be saved keeps no other one from being saved.
    @Test func allSessionsAreSavedAtTheEnd() async throws {
        let targets = [landscape.urlString(.main, ""), landscape.urlString(.other, "")]
        try sandbox.write(
            "[profiles.broken]\nmatch = [\"\(targets[0])\"]\n[profiles.whole]\nmatch = [\"\(targets[1])\"]\n",
            to: "config/httpc/config.toml")
        let urls = try await start(targets[0], targets[1])
        #expect(urls.count == 2)
        for url in urls {
            #expect(try await curl("-f", "\(url)/cookies/set?line=a%3D1%3B%20Max-Age%3D600").status == 0)
        }
        // A file in the place of the profile's directory.
        try sandbox.write("", to: "state/httpc/broken")
        _ = try await sandbox.httpc("relay", "stop")
        #expect(try await sandbox.cookies("whole") == ["a=1"])
    }

    @Test func aFailureIsTold() async throws {
        let url = try #require(try await start(landscape.urlString(.main, "")).first)
        let port = try #require(URL(string: url)?.port)
        let taken = try await sandbox.httpc("relay", "start", "--port", "\(port)", landscape.urlString(.main, ""))
        #expect(taken.status == 7 && taken.output.isEmpty && taken.errors.contains("Choose another --port"))
        let unknown = try await sandbox.httpc("relay", "start", "--profile", "none", landscape.urlString(.main, ""))
        #expect(unknown.status == 2 && !unknown.errors.isEmpty)
        #expect(processes.files.count == 1)
    }

    /// Nobody would know its URL.
    @Test func aRelayWhoseURLCannotBePrintedEnds() async throws {
        let line = "'\(BuiltProduct.httpc)' relay start '\(landscape.urlString(.main, ""))' > /dev/full"
        let outcome = try await RunningCommand(["-c", line], in: sandbox, program: "/bin/sh").outcome()
        #expect(outcome.status == 23, "\(outcome.errors)")
        #expect(processes.files.isEmpty)
    }

    @Test(arguments: [
        ["start"], ["start", "--port", "4711", "http://a.example", "http://b.example"],
        ["start", "--socket", "s", "--port", "4711", "http://a.example"], ["start", "ftp://a.example"],
        ["start", "http://a.example", "--", "echo", "{url}"], ["start", "http://a.example", "--", "make"],
        ["serve"], ["stop", "http://a.example"],
    ])
    func wrongUsage(arguments: [String]) async throws {
        let outcome = try await sandbox.httpc(["relay"] + arguments)
        #expect([1, 2, 3].contains(outcome.status), "\(outcome.errors)")
        #expect(processes.files.isEmpty)
    }
}
