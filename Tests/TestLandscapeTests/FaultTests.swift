import Foundation
import LandscapeSupport
import TestSupport
import Testing

@Suite(.landscape, .timeLimit(.minutes(1))) struct FaultTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    /// The exit codes of curl for each fault.
    private static let expected: [(String, [Int32])] = [
        ("cut-before-head", [52]), ("reset-before-head", [56]), ("cut-mid-head", [0, 8, 18, 56]),
        ("cut-mid-body", [18]),
        ("cut-mid-chunks", [18]), ("garbage", [1]), ("oversized-head", [27, 56, 100]), ("close-after-response", [0]),
        ("close-when-idle", [0]), ("bytes-after-response", [0]), ("informational-flood", [0, 56]), ("delay", [0]),
        ("escapes-in-reason", [0]),
    ]

    @Test(arguments: expected, [LandscapeOrigin.main, .secure])
    func curlReportsFaults(fault: (String, [Int32]), origin: LandscapeOrigin) async throws {
        let answer = try await Curl.run("-k", landscape.urlString(origin, "/fault/\(fault.0)"))
        let acceptable = fault.1 + (origin == .secure && fault.1 != [0] ? [56, 52, 35] : [])
        #expect(acceptable.contains(answer.exitCode), "\(fault.0): \(answer.exitCode) \(answer.errors)")
    }

    @Test func injectedFaultsAreUsedUp() async throws {
        landscape.inject(.cutBeforeHead, at: "/js*", times: 1)
        landscape.inject(.cutBeforeHead, at: "/json", on: .other)
        let url = landscape.urlString(.main, "/json")
        #expect(try await Curl.run(url).exitCode == 52)
        #expect(try await Curl.run(url).exitCode == 0)
        #expect(try await Curl.run(landscape.urlString(.other, "/json")).exitCode == 52)
        landscape.clearFaults()
        #expect(try await Curl.run(landscape.urlString(.other, "/json")).exitCode == 0)
    }

    @Test func gateReleasesSome() async throws {
        let gate = landscape.hold("/json")
        let url = landscape.urlString(.main, "/json")
        async let first = Curl.status(url)
        async let second = Curl.status(url)
        try await gate.waitForWaiters(2)
        gate.release(first: 1)
        #expect(gate.waiters == 1)
        gate.release()
        #expect(try await [first, second] == [200, 200])
    }

    @Test(arguments: [
        ("conflicting-lengths", "Content-Length: 2\r\nContent-Length: 5\r\n\r\nhello"),
        ("length-and-chunks", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        ("unasked-upgrade", "HTTP/1.1 101 Switching Protocols\r\n"), ("cut-mid-head", "\r\nContent-Le"),
        ("escapes-in-reason", "HTTP/1.1 403 \u{1B}[2J\u{1B}]0;owned\u{7}Nice\r\n"),
        ("bytes-after-response", "bytes-after-response\nHTTP/1.1 200 OK\r\n"),
        ("informational-flood", String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 1000)),
    ])
    func writesTheFaultOnTheWire(fault: String, text: String) async throws {
        // With telnet, curl prints the bytes without interpreting them.
        let request = try TemporaryFile(
            "request", contents: Data("GET /fault/\(fault) HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        let answer = try await Curl.run(
            "--max-time", "8", "telnet://127.0.0.1:\(landscape.port(.main))", input: request.url)
        #expect(answer.text.contains(text), "\(answer.text.prefix(500))")
    }

    @Test func gateHoldsUntilReleased() async throws {
        let gate = landscape.hold("/json")
        let url = landscape.urlString(.main, "/json")
        async let first = Curl.status(url)
        async let second = Curl.status(url)
        try await gate.waitForWaiters(2)
        #expect(gate.waiters == 2)
        #expect(landscape.requests(path: "/json", status: 200).isEmpty)
        gate.release()
        #expect(try await [first, second] == [200, 200])
        #expect(landscape.counters.peakInFlight >= 2)
        #expect(try await Curl.status(url) == 200)
    }

    @Test func clientThatLeavesIsNoLongerHeld() async throws {
        let gate = landscape.hold("/json")
        let leaving = try ChildProcess(
            "/usr/bin/curl", ["-q", "-s", landscape.urlString(.main, "/json")], environment: Program.environment)
        try await gate.waitForWaiters(1)
        leaving.signal(SIGKILL)
        #expect(await leaving.status == 128 + SIGKILL)
        // The server notices the end of the connection some time after curl has ended. The suite's time limit
        // bounds the wait.
        while gate.waiters > 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(landscape.requests(path: "/json").map(\.status) == [nil])
        async let other = Curl.status(landscape.urlString(.main, "/json"))
        try await gate.waitForWaiters(1)
        gate.release()
        #expect(try await other == 200)
    }

    @Test func rawOriginAnswersBytes() async throws {
        landscape.raw.respond(path: "/a", text: "HTTP/1.1 299 Odd\r\nContent-Length: 3\r\n\r\nabc")
        let url = landscape.urlString(.raw, "/a?x=1")
        let answer = try await Curl.run("-w", "|%{http_code}", "-d", "body", url, url)
        #expect(answer.text == "abc|299abc|299")
        #expect(Set(landscape.requests(path: "/a").map(\.connection)).count == 1)
        #expect(landscape.requests(path: "/a").first?.target == "/a?x=1")
        #expect(try await Curl.status(landscape.urlString(.raw, "/b")) == 404)
    }

    @Test func adminNeedsTheTokenAndWorks() async throws {
        let token = ["-H", "X-Landscape-Token: \(landscape.adminToken)"]
        let counters = landscape.urlString(.main, "/admin/counters")
        #expect(try await Curl.status(counters) == 403)
        #expect(try await Curl.status("-H", "X-Landscape-Token: \(landscape.adminToken)x", counters) == 403)
        #expect(try await Curl.run(token + [counters]).json()["requests"] as? Int == 3)
        let fault = landscape.urlString(.main, "/admin/faults?path=/json&kind=cut-before-head&times=1")
        #expect(try await Curl.run(token + ["-X", "POST", fault]).json()["fault"] as? Int == 1)
        #expect(try await Curl.run(landscape.urlString(.main, "/json")).exitCode == 52)
        let user = ["-d", #"{"name":"new","password":"pw"}"#, landscape.urlString(.main, "/admin/users")]
        #expect(try await Curl.run(token + user).text == "done\n")
        #expect(try await Curl.status("-u", "new:pw", landscape.urlString(.main, "/basic/realm1/")) == 200)
        #expect(landscape.requests(path: "/admin/users").isEmpty)
        #expect(
            landscape.tableOfContents.contains("/digest/once")
                && !landscape.tableOfContents.contains(landscape.adminToken))
    }
}
