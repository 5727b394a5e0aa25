import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// Several URLs, retries, rates, and the destinations of bodies.
@Suite(.landscape, .timeLimit(.minutes(1))) struct TransferTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private func answer(_ status: String, _ fields: String..., body: String = "") -> WireScript {
        let head = (["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields).joined(separator: "\r\n")
        return WireScript("\(head)\r\nConnection: close\r\n\r\n\(body)", thenClose: true)
    }

    private func credentials() -> Int {
        landscape.requests().count { !$0.values(of: "Authorization").isEmpty }
    }

    @Test func severalURLsHaveOneLogin() async throws {
        let urls = (1...4).map { landscape.urlString(.main, "/basic/staff/\($0)") }
        let inOrder = try await sandbox.httpc(["-u", "alice:wonderland", "-w", "%{urlnum} %{http_code}\\n"] + urls)
        #expect(inOrder.status == 0, "\(inOrder.errors)")
        #expect(landscape.requests(status: 401).count == 1)
        #expect(landscape.requests(status: 200).count == 4)
        #expect(inOrder.text.contains("3 200\n"))
        let atOnce = try await sandbox.httpc(
            ["-Z", "--parallel-max", "2", "-u", "alice:wonderland", "--remote-name-all"] + urls)
        #expect(atOnce.status == 0, "\(atOnce.errors)")
        #expect(["1", "2", "3", "4"].allSatisfy { sandbox.read($0)?.isEmpty == false })
        #expect(landscape.requests(status: 200).count == 8)
    }

    /// A head for standard output waits until the current body is complete.
    @Test func headsAndBodiesHaveTheirTurns() async throws {
        landscape.raw.respond(
            path: "/slow",
            script: WireScript([
                .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf".utf8)), .pause(.milliseconds(700)),
                .bytes(Array("half".utf8)),
            ]))
        let outcome = try await sandbox.httpc(
            "-Z", "-D", "-", "-o", "-", "-o", "file", landscape.urlString(.raw, "/slow"),
            landscape.urlString(.main, "/json"))
        #expect(outcome.text.contains("halfhalf"), "\(outcome.text)")
        #expect(outcome.text.split(separator: "HTTP/1.1 200").count == 2, "\(outcome.text)")
    }

    /// A wrong password is tried once, for any number of URLs and any --retry.
    @Test(arguments: [["--retry", "3"], ["-Z"], ["-Z", "--basic"]]) func aWrongPasswordIsTriedOnce(options: [String])
        async throws
    {
        let urls = (1...3).map { landscape.urlString(.main, "/basic/staff/\($0)") }
        let outcome = try await sandbox.httpc(["-f", "-u", "alice:wrong"] + options + urls)
        #expect(outcome.status == 22, "\(outcome.errors)")
        #expect(landscape.requests(status: 401).count >= 3)
        #expect(credentials() == 1)
    }

    @Test func usersOfURLsAreSeparate() async throws {
        landscape.addUser("bob", password: "builder")
        let port = landscape.urlString(.main, "/basic/staff/").replacing("http://", with: "")
        let outcome = try await sandbox.httpc(
            "http://alice:wonderland@\(port)1", "http://bob:builder@\(port)2", "http://bob:builder@\(port)3")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let sent = landscape.requests(status: 200).compactMap { $0.values(of: "Authorization").first }
        #expect(sent.count == 3 && sent[0] != sent[1] && sent[1] == sent[2])
    }

    @Test func whatPassesIsTriedAgain() async throws {
        let url = landscape.urlString(.main, "/echo")
        landscape.inject(.script(answer("503 Busy", "Retry-After: 0")), at: "/echo", times: 2)
        let begin = ContinuousClock.now
        let outcome = try await sandbox.httpc(
            "--retry", "2", "--retry-delay", "1", "-w", "%{num_retries} %{time_total}", "-o", "out", url)
        let told = outcome.text.split(separator: " ")
        #expect(outcome.status == 0 && told.first == "2", "\(outcome.errors)")
        #expect(landscape.count(path: "/echo") == 3)
        #expect(outcome.errors.contains("answered 503; retrying in 1 s"))
        // The times are those of the last attempt.
        let time = try #require(told.last.flatMap { Double($0) })
        #expect(time + 1.9 < (ContinuousClock.now - begin) / .seconds(1))
        // The POST is sent once, and a one-shot body is not sent again.
        landscape.inject(.script(answer("503 Busy", "Retry-After: 0")), at: "/echo")
        let post = try await sandbox.httpc("-f", "--retry", "2", "-d", "x", url)
        #expect(post.status == 22 && post.errors.contains("POST sent twice"))
        let stream = try await sandbox.httpc(["-f", "--retry", "2", "-T", "-", url], input: "x")
        #expect(stream.status == 22)
        #expect(landscape.count(path: "/echo") == 5)
    }

    @Test func ratesAreKept() async throws {
        try sandbox.write(String(repeating: "x", count: 60_000), to: "in")
        let start = ContinuousClock.now
        let both = try await sandbox.httpc(
            "--limit-rate", "50K", "-o", "out", landscape.urlString(.main, "/bytes/60000"))
        #expect(both.status == 0 && sandbox.read("out")?.count == 60_000)
        let upload = try await sandbox.httpc(
            "--limit-rate", "50K", "-T", "in", landscape.urlString(.main, "/upload"))
        #expect(upload.status == 0, "\(upload.errors)")
        // A lower bound: both transfers at that rate, less the bytes that may go at once.
        #expect(ContinuousClock.now - start > .seconds(2))
    }

    @Test func filesAreCalledAsTheServerSays() async throws {
        let name = "Content-Disposition: attachment; filename=\"../.%1\u{202E}.txt\""
        landscape.raw.respond(path: "/x", script: answer("200 OK", name, body: "new"))
        let url = landscape.urlString(.raw, "/x")
        let saved = try await sandbox.httpc("-OJ", url)
        #expect(saved.status == 0, "\(saved.errors)")
        #expect(saved.errors == "httpc: Saved as \"_%1_.txt\".\n")
        #expect(sandbox.read("_%1_.txt") == Data("new".utf8))
        try sandbox.write("mine", to: "_%1_.txt")
        let refused = try await sandbox.httpc("-OJ", url)
        #expect(refused.status == 23)
        #expect(sandbox.read("_%1_.txt") == Data("mine".utf8))
        let replaced = try await sandbox.httpc("-OJ", "--clobber", url)
        #expect(replaced.status == 0)
        #expect(sandbox.read("_%1_.txt") == Data("new".utf8))
    }

    @Test func headsAndErrorPages() async throws {
        let outcome = try await sandbox.httpc(
            "--fail-with-body", "-D", "heads", "-w",
            "%{stderr}%{exitcode} %header{content-type} %{nothing} %%\\n%{json}",
            landscape.urlString(.main, "/status/418?body=tea"), landscape.urlString(.main, "/json"))
        #expect(outcome.status == 22)
        #expect(outcome.text.hasPrefix("tea"))
        #expect(outcome.errors.contains("\n22 "))
        #expect(outcome.errors.contains("0 application/json"))
        #expect(outcome.errors.contains(" %{nothing} %\n{"))
        let json = outcome.errors.split(separator: "{\"").last.map { "{\"" + $0 } ?? ""
        let values = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(values["http_code"] as? Int == 200 && values["urlnum"] as? Int == 1)
        let heads = try #require(sandbox.read("heads").map { String(decoding: $0, as: UTF8.self) })
        #expect(heads.hasPrefix("HTTP/1.1 418") && heads.contains("\r\n\r\nHTTP/1.1 200"))
        let nobody = try await sandbox.httpc("-s", "-w", "%{http_code} %{exitcode}", "http://127.0.0.1:1/")
        #expect(nobody.text == "000 7")
    }

    /// They have cookies. A file that is there keeps its mode.
    @Test func onlyTheOwnerReadsANewFileOfHeads() async throws {
        let url = landscape.urlString(.main, "/json")
        #expect(try await sandbox.httpc("-D", "heads", url).status == 0)
        #expect(sandbox.mode("heads") == 0o600)
        try sandbox.write("old", to: "shared", mode: 0o640)
        #expect(try await sandbox.httpc("-D", "shared", url).status == 0)
        #expect(sandbox.mode("shared") == 0o640)
        #expect(sandbox.read("shared").map { String(decoding: $0, as: UTF8.self) }?.hasPrefix("HTTP/1.1 200") == true)
    }

    @Test func eventsAreLines() async throws {
        let two = "event: x\nid: 7\nretry: 10\ndata: two\ndata: lines\u{1B}\u{9B}\u{202E}\n\n"
        let body = ": hello\n\ndata: {\"a\": 1}\n\n" + two
        landscape.raw.respond(path: "/e", script: answer("200 OK", "Content-Type: text/event-stream", body: body))
        let outcome = try await sandbox.httpc("--events", landscape.urlString(.raw, "/e"))
        #expect(
            outcome.text == """
                {"data":"{\\"a\\": 1}","event":"message"}
                {"data":"two\\nlines\\u001b\\u009b\\u202e","event":"x","id":"7","retry":10}

                """, "\(outcome.errors)")
    }

    @Test(
        arguments: [
            ["-o", "a", "-O", "http://127.0.0.1:1/x", "http://127.0.0.1:1/y"],
            ["-C", "1", "-d", "x", "http://127.0.0.1:1/x"],
            ["-T", "-", "-T", "-", "http://127.0.0.1:1/x"], ["-d", "x", "-F", "a=b", "http://127.0.0.1:1/"],
            ["-T", "-", "http://127.0.0.1:1/x", "-T", "-", "http://127.0.0.1:1/y"],
            ["-b", "-", "http://a:b@127.0.0.1:1/x", "http://c:d@127.0.0.1:1/y"],
            ["-F", "a", "http://127.0.0.1:1/"], ["-F", "a=b;c", "http://127.0.0.1:1/"],
            ["-o", "", "http://127.0.0.1:1/"],
        ])
    func whatDoesNotGoTogether(arguments: [String]) async throws {
        #expect(try await Sandbox().httpc(arguments).status == 2)
    }

    /// On a terminal of 38 columns no line is wider, and one line of summary remains.
    @Test func aBarFitsANarrowTerminal() async throws {
        let urls = (1...3).map { landscape.urlString(.main, "/bytes/\(60_000 + $0)") }.joined(separator: " ")
        let line = "stty cols 38; '\(BuiltProduct.httpc)' -Z --limit-rate 25K --remote-name-all \(urls)"
        let command = try RunningCommand(onTerminal: line, in: sandbox, environment: ["LC_ALL": "C.UTF-8"])
        let shown = await command.outcome().text.replacing("\r\n", with: "\n")
        let draws = shown.split(separator: "\r\u{1B}[J")
        #expect(draws.count > 3, "\(shown)")
        #expect(draws.allSatisfy { $0.count <= 38 })
        #expect(draws.contains { $0.hasPrefix("↓ 0/3 ") && $0.contains("KiB/s") }, "\(shown)")
        #expect(shown.split(separator: "\r\u{1B}[J").last?.hasPrefix("↓ 175.") == true, "\(shown)")
        #expect(shown.hasSuffix("/s\n"))
    }
}
