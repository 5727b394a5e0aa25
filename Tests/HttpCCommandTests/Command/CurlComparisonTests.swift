import Foundation
import TestLandscape
import TestSupport
import Testing

/// Options that docs/expectations.md calls the same as curl's give curl's results, run beside it.
@Suite(.timeLimit(.minutes(1))) struct CurlComparisonTests {
    private static let sent = "%{http_code} %{exitcode} %{method} %{num_redirects} %{num_connects} %{url_effective}"

    @Test(arguments: [
        ["-L", "-w", sent, "BASE/redirect/chain/3"],
        ["-L", "-w", "%{remote_ip} %{remote_port}", "BASE/redirect/to/other?path=/json"],
        ["-L", "--max-redirs", "2", "-w", sent, "BASE/redirect/chain/5"],
        ["-L", "-d", "x=1", "-w", sent, "BASE/redirect/303?to=%2Fjson"],
        ["-L", "--retry", "1", "--retry-delay", "1", "-w", sent, "BASE/redirect/to/other?path=/status/503"],
        ["--no-location", "-w", "%{redirect_url}", "BASE/redirect/chain/2"],
        ["-w", "%{http_code} %{exitcode} %{time_starttransfer}", "http://127.0.0.1:1/"],
        ["-m", "3", "-w", "%{http_code} %{exitcode}", "BASE/ticks?every=5000"],
    ])
    func whatIsToldOfIt(arguments: [String]) async throws {
        try await compare(["-s", "-o", "/dev/null"] + arguments)
    }

    @Test(arguments: [
        ["-f", "-i", "BASE/status/404"], ["-i", "BASE/status/404?body=tea"], ["-I", "-X", "GET", "BASE/json"],
        ["-I", "BASE/json"], ["-f", "-D", "-", "-o", "/dev/null", "BASE/status/404"],
    ])
    func heads(arguments: [String]) async throws { try await compare(["-s", "--no-compressed"] + arguments) }

    /// The reason of HTTP/1.1 is missing in HTTP/2, and the space before it is not.
    @Test(arguments: [["-i"], ["-D", "-", "-o", "/dev/null"]]) func headsOfHTTP2(options: [String]) async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let arguments =
                options + [
                    "-s", "--no-compressed", "--cacert", try sandbox.authority(of: landscape),
                    landscape.urlString(.multiplexed, "/"),
                ]
            let expected = try await RunningCommand(arguments, in: sandbox, program: "/usr/bin/curl").outcome()
            let outcome = try await sandbox.httpc(arguments)
            #expect(lines(expected.text).first == "HTTP/2 200 ", "\(expected.errors)")
            #expect(lines(outcome.text).first == lines(expected.text).first, "\(outcome.errors)")
        }
    }

    /// Line ends of a file are left out.
    @Test(arguments: ["a%{http_code}\r\nb\\n\nc\n\n", "%{exitcode}\r"])
    func whatIsToldByAFile(text: String) async throws {
        try await compare(["-s", "-o", "/dev/null", "-w", "@text", "BASE/json"], files: ["text": text])
    }

    /// Only --compressed unpacks what an `Accept-Encoding` of -H leads to.
    @Test(arguments: [[], ["--compressed"]]) func codingsOfOnesOwn(options: [String]) async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let arguments =
                ["-s", "-H", "Accept-Encoding: gzip"] + options + [landscape.urlString(.main, "/gzip?n=5000")]
            let expected = try await RunningCommand(arguments, in: sandbox, program: "/usr/bin/curl").outcome()
            let outcome = try await sandbox.httpc(arguments)
            #expect(outcome.status == 0 && expected.status == 0, "\(outcome.errors)")
            #expect(outcome.output == expected.output)
            #expect(landscape.requests().map { $0.values(of: "Accept-Encoding") } == [["gzip"], ["gzip"]])
        }
    }

    /// A field of the command line stays, whatever removes it.
    @Test(arguments: [
        ["-H", "X-A: 1", "-H", "x-a:"], ["-H", "X-A:", "-H", "x-a: 1"], ["-H", "X-A: 1", "-H", "X-A: 2", "-H", "X-A:"],
        ["-e", ""], ["-e", "http://h/"], ["-H", "Referer: x", "-e", ""],
    ])
    func fieldsThatAreSent(arguments: [String]) async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let arguments = ["-s", "-o", "/dev/null"] + arguments + [landscape.urlString(.main, "/json")]
            _ = try await RunningCommand(arguments, in: sandbox, program: "/usr/bin/curl").outcome()
            let outcome = try await sandbox.httpc(arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let sent = landscape.requests().map { [$0.values(of: "X-A"), $0.values(of: "Referer")] }
            #expect(sent.count == 2 && sent.first == sent.last, "\(sent)")
        }
    }

    @Test(arguments: [
        ["-d", "l1\nl2"], ["-d", "l1\r\n", "-d", "l2"], ["-d", "@lines"], ["--data-binary", "@lines"],
        ["--data-raw", "@lines\n"], ["--data-urlencode", "name=a b&c"], ["--json", "{\"a\":\n1}"],
    ])
    func bodies(arguments: [String]) async throws {
        try await withLandscape { landscape in
            let sandbox = try Sandbox()
            try sandbox.write("one\r\ntwo\n", to: "lines")
            let both = ["-s"] + arguments + [landscape.urlString(.main, "/upload")]
            let expected = try await RunningCommand(both, in: sandbox, program: "/usr/bin/curl").outcome()
            #expect(expected.status == 0)
            let outcome = try await sandbox.httpc(both)
            #expect(outcome.status == 0, "\(outcome.errors)")
            // The server's answer has a hash of the body.
            #expect(outcome.text == expected.text)
            #expect(Set(landscape.requests().map { $0.values(of: "Content-Type") }).count == 1)
        }
    }

    /// A file that cannot be written hides neither an earlier error nor the other files.
    @Test func aJarThatCannotBeWritten() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let options = ["-c", "/none/jar", "-D", "heads", "-o", "/dev/null"]
            let nobody = try await sandbox.httpc(options + ["http://127.0.0.1:1/"])
            #expect(nobody.status == 7)
            #expect(sandbox.read("heads") == Data())
            let somebody = try await sandbox.httpc(options + [landscape.urlString(.main, "/json")])
            #expect(somebody.status == 23)
            #expect(sandbox.read("heads")?.starts(with: Data("HTTP/1.1 200".utf8)) == true)
        }
    }

    @Test func cookiesOnStandardOutput() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let url = landscape.urlString(.main, "/session/login")
            let outcome = try await sandbox.httpc(
                "-s", "-o", "/dev/null", "-c", "-", "-d", "user=alice&password=wonderland", url)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.text.contains("LANDSCAPE_SESSION"))
            #expect(!sandbox.names.contains("-"))
        }
    }

    /// Bytes in a pipe cannot be taken back: a retry would leave a part and the whole there.
    @Test func aPipeGetsNothingTwice() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let line = "\"$0\" -s --retry 1 --retry-delay 1 -o /dev/stdout \"$1\" | wc -c"
            let outcome = try await RunningCommand(
                ["-c", line, BuiltProduct.httpc, landscape.urlString(.main, "/fault/cut-mid-body")], in: sandbox,
                program: "/bin/sh"
            ).outcome()
            let once = try await sandbox.httpc("-s", landscape.urlString(.main, "/fault/cut-mid-body"))
            #expect(!once.output.isEmpty)
            #expect(outcome.text.trimmingCharacters(in: .whitespacesAndNewlines) == "\(once.output.count)")
        }
    }

    /// Compares the exit status and the output, except for `Date` lines.
    private func compare(_ arguments: [String], files: [String: String] = [:]) async throws {
        let sandbox = try Sandbox()
        for (name, text) in files { try sandbox.write(text, to: name) }
        try await withLandscape { landscape in
            let arguments = arguments.map {
                $0.replacingOccurrences(of: "BASE", with: landscape.urlString(.main, ""))
            }
            let expected = try await RunningCommand(arguments, in: sandbox, program: "/usr/bin/curl").outcome()
            let outcome = try await sandbox.httpc(arguments)
            #expect(outcome.status == expected.status, "\(outcome.errors)")
            #expect(lines(outcome.text) == lines(expected.text))
            #expect(!expected.text.isEmpty)
        }
    }

    private func lines(_ text: String) -> [String] {
        text.components(separatedBy: "\r\n").filter { !$0.lowercased().hasPrefix("date:") }
    }
}
