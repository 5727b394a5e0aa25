import Foundation
import HttpC
import HttpCClient
import HttpConvSystem
import LandscapeSupport
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import HttpCRelay

/// A relay before the landscape's servers, byte by byte.
@Suite(.landscape, .timeLimit(.minutes(1))) struct RelayServerTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private func run(
        _ path: String = "/", _ limits: RelayLimits = RelayLimits(), user: UserArgument? = nil,
        _ work: (TestRelay) async throws -> Void
    ) async throws {
        try await TestRelay.run(to: landscape.urlString(.main, path), limits, user: user, work)
    }

    // MARK: Answers

    @Test func requestsAreForwardedWithTheLogin() async throws {
        try await run(user: UserArgument("alice:wonderland")) { relay in
            let answer = try await relay.get("/basic/realm1/x")
            #expect(answer.statusLine == "HTTP/1.1 200 OK")
            #expect(answer.contains("\"user\":\"alice\""))
            #expect(answer.contains("\r\nReferrer-Policy: no-referrer\r\n"))
        }
    }

    @Test func oneConnectionServesManyRequests() async throws {
        try await run { relay in
            let request = "GET /SECRET/bytes/5 HTTP/1.1\r\nHost: HOST\r\n"
            let answer = try await relay.exchange(
                "\(request)\r\n\(request)\r\nHEAD /SECRET/head-only/70 HTTP/1.1\r\nHost: HOST\r\n\r\n"
                    + "\(request)Connection: close\r\n\r\n")
            #expect(answer.components(separatedBy: "HTTP/1.1 200 OK\r\n").count == 5)
            #expect(answer.contains("\r\nContent-Length: 70\r\n"))
        }
    }

    @Test func theURLForClientsIsTheBaseOfPaths() async throws {
        try await run { relay in
            let base = try TargetURL(relay.server.clientURL.value).path
            let answer = try await relay.exchange(
                "GET \(base)/bytes/3 HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n")
            #expect(answer.statusLine == "HTTP/1.1 200 OK", "\(answer)")
        }
    }

    /// The connection is closed after the last byte.
    @Test func aLongAnswerIsWhole() async throws {
        try await run { relay in
            let answer = try await relay.get("/bytes/5000000")
            #expect(answer.utf8.count > 5_000_000 && answer.contains("\r\nContent-Length: 5000000\r\n"))
        }
    }

    /// A connection that is closed with unread bytes would be reset.
    @Test func aRefusedUploadHasItsAnswer() async throws {
        try await run { relay in
            let body = String(repeating: "x", count: 3_000_000)
            let answer = try await relay.exchange(
                "POST /wrong HTTP/1.1\r\nHost: HOST\r\nContent-Length: 3000000\r\n\r\n", body: body)
            #expect(answer.statusLine == "HTTP/1.1 403 Forbidden")
        }
    }

    @Test func aBodyWithoutALengthIsChunked() async throws {
        try await run { relay in
            // More than is read ahead: the length of a body that has arrived as a whole is known.
            let answer = try await relay.get("/stream/3000000?chunk=10000")
            #expect(answer.contains("\r\nTransfer-Encoding: chunked\r\n"))
            #expect(answer.hasSuffix("\r\n0\r\n\r\n"))
            #expect(!answer.contains("Content-Length"))
        }
    }

    @Test(arguments: ["gzip", "deflate"]) func compressedBodiesAreUnpacked(coding: String) async throws {
        try await run { relay in
            let answer = try await relay.get("/\(coding)", "Accept-Encoding: \(coding)")
            #expect(answer.statusLine == "HTTP/1.1 200 OK")
            #expect(!answer.lowercased().contains("content-encoding"))
        }
    }

    @Test(arguments: [
        (0, "Content-Length: 5\r\n\r\nhello"), (1, "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
    ])
    func bodiesAreSentOn(_: Int, body: String) async throws {
        try await run { relay in
            let answer = try await relay.exchange(
                "POST /SECRET/echo HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\(body)")
            #expect(answer.statusLine == "HTTP/1.1 200 OK")
            #expect(answer.contains("hello"))
            #expect(!answer.contains(relay.secret))
        }
    }

    @Test func aCutBodyIsCutForTheClient() async throws {
        try await run { relay in
            let chunks = try await relay.get("/fault/cut-mid-chunks")
            #expect(chunks.statusLine == "HTTP/1.1 200 OK" && !chunks.hasSuffix("0\r\n\r\n"))
            let counted = try await relay.get("/fault/cut-mid-body")
            #expect(counted.contains("\r\nContent-Length: 1000\r\n") && counted.afterHead.utf8.count < 1000)
        }
    }

    /// Two readers may split such answers differently, and the relay would be one of them.
    @Test(arguments: [
        "garbage", "oversized-head", "conflicting-lengths", "length-and-chunks", "informational-flood",
        "unasked-upgrade", "cut-before-head", "cut-mid-head",
    ])
    func ambiguousAnswersAreBadGateways(fault: String) async throws {
        try await run { relay in
            let answer = try await relay.get("/fault/\(fault)")
            #expect(answer.statusLine == "HTTP/1.1 502 Bad Gateway")
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
        }
    }

    @Test func bytesBehindAnAnswerAreNoAnswer() async throws {
        try await run { relay in
            let answer = try await relay.get("/fault/bytes-after-response")
            #expect(answer.components(separatedBy: "HTTP/1.1 200 OK\r\n").count == 2)
        }
    }

    @Test func aClientThatIsGoneEndsItsExchange() async throws {
        let gate = landscape.hold("/json")
        try await run { relay in
            let channel = try await RawClient.connect("127.0.0.1", relay.port).channel
            try await channel.writeAndFlush(
                ByteBuffer(string: relay.filled("GET /SECRET/json HTTP/1.1\r\nHost: HOST\r\n\r\n"))
            ).get()
            try await gate.waitForWaiters(1)
            try await channel.close()
            while gate.waiters > 0 { try await Task.sleep(for: .milliseconds(1)) }
        }
        gate.release()
    }

    @Test func aTargetThatIsDownIsABadGateway() async throws {
        try await TestRelay.run(to: "http://127.0.0.1:1/") { relay in
            let answer = try await relay.get("/x")
            #expect(answer.statusLine == "HTTP/1.1 502 Bad Gateway")
            #expect(answer.contains("\r\nCache-Control: no-store\r\n"))
        }
    }

    @Test func aSilentTargetIsAGatewayTimeout() async throws {
        var limits = RelayLimits()
        limits.silence = .milliseconds(300)
        let gate = landscape.hold("/json")
        try await run("/", limits) { relay in
            let answer = try await relay.get("/json")
            #expect(answer.statusLine == "HTTP/1.1 504 Gateway Timeout")
        }
        gate.release()
    }

    @Test func aLoginThatFailsIsABadGateway() async throws {
        try await run(user: UserArgument("alice:wrong")) { relay in
            let answer = try await relay.get("/basic/realm1/x")
            #expect(answer.statusLine == "HTTP/1.1 502 Bad Gateway")
            #expect(answer.contains("did not accept user name and password"))
            #expect(!answer.lowercased().contains("www-authenticate"))
        }
    }

    // MARK: Redirects and cookies

    @Test func aRedirectWithinTheTargetIsTheClients() async throws {
        try await run { relay in
            let answer = try await relay.get("/redirect/chain/2?status=307")
            #expect(answer.statusLine == "HTTP/1.1 307 Temporary Redirect")
            #expect(answer.contains(relay.filled("\r\nLocation: /SECRET/redirect/chain/1\r\n")))
        }
    }

    /// A link may be for one use, and another server's page would act at the relay's address.
    @Test(arguments: [301, 302, 303, 307, 308]) func aRedirectElsewhereIsHandedOnAsItIs(status: Int) async throws {
        let other = landscape.urlString(.other, "/json")
        let count = landscape.count(path: "/json")
        try await run { relay in
            let answer = try await relay.get("/redirect/to/other?status=\(status)")
            #expect(answer.statusLine.hasPrefix("HTTP/1.1 \(status) "))
            #expect(answer.contains("\r\nLocation: \(other)\r\n"))
        }
        #expect(landscape.count(path: "/json") == count)
    }

    @Test(arguments: ["myapp://done", "mailto:a@example.com", "http://127.0.0.1:1/x"])
    func aRedirectThatCannotBeFollowedIsHandedOn(location: String) async throws {
        try await run { relay in
            let answer = try await relay.get("/redirect/307?to=\(location)")
            #expect(answer.statusLine == "HTTP/1.1 307 Temporary Redirect")
            #expect(answer.contains("\r\nLocation: \(location)\r\n"))
        }
    }

    @Test func aBodyGoesToNoOtherServer() async throws {
        let other = landscape.urlString(.other, "/upload")
        try await run { relay in
            let answer = try await relay.exchange(
                "POST /SECRET/redirect/to/other?status=307&path=/upload HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
            )
            #expect(answer.statusLine == "HTTP/1.1 307 Temporary Redirect")
            #expect(answer.contains("\r\nLocation: \(other)\r\n"))
        }
        #expect(landscape.count(path: "/upload") == 0)
    }

    @Test func cookiesStayWithTheRelay() async throws {
        try await run { relay in
            let answer = try await relay.get("/cookies/set?line=a=b")
            #expect(!answer.lowercased().contains("set-cookie"))
            let shown = try await relay.get("/echo", "Cookie: c=d")
            #expect(!shown.contains("c=d"))
        }
    }

    // MARK: Limits

    private static let request = "GET /SECRET/json HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n"

    @Test func connectionsAreLimited() async throws {
        var limits = RelayLimits()
        limits.connections = 2
        let gate = landscape.hold("/json")
        try await run("/", limits) { relay in
            async let first = relay.exchange("\(Self.request)\r\n")
            async let second = relay.exchange("\(Self.request)\r\n")
            try await gate.waitForWaiters(2)
            let refused = try? await relay.get("/bytes/3")
            #expect(refused == nil || refused == "")
            gate.release()
            for answer in try await [first, second] { #expect(answer.statusLine == "HTTP/1.1 200 OK") }
            // The relay may notice the ends of the two a little later.
            while (try? await relay.get("/bytes/3"))?.statusLine != "HTTP/1.1 200 OK" {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        #expect(RelayLimits().connections == 512)
    }

    /// Streams of some clients leave connections to the target for the others.
    @Test func eachClientHasAConnectionToTheTarget() async throws {
        let gate = landscape.hold("/json")
        try await run { relay in
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<70 { group.addTask { try await relay.exchange("\(Self.request)\r\n") } }
                try await gate.waitForWaiters(70)
                #expect(try await relay.get("/bytes/3").statusLine == "HTTP/1.1 200 OK")
                gate.release()
                for try await answer in group { #expect(answer.statusLine == "HTTP/1.1 200 OK") }
            }
        }
    }

    /// The clients of all relays of a process need a quarter of its descriptors at most.
    @Test(arguments: [(nil, 2, 512), (10_240, 2, 512), (1024, 1, 256), (1024, 2, 128), (1, 1, 1), (0, 9, 1)])
    func relaysShareTheDescriptors(descriptors: Int?, relays: Int, connections: Int) {
        var limits = RelayLimits()
        limits.share(descriptors, among: relays)
        #expect(limits.connections == connections)
    }

    @Test(arguments: [
        "X-Long: \(String(repeating: "x", count: 66_000))\r\n",
        (0..<200).map { "X-\($0): \(String(repeating: "x", count: 340))\r\n" }.joined(),
        (0..<300).map { "X-\($0): x\r\n" }.joined(),
    ])
    func headsAreLimited(fields: String) async throws {
        try await run { relay in
            let answer = try await relay.exchange("\(Self.request)\(fields)\r\n")
            #expect(answer.statusLine == "HTTP/1.1 431 Request Header Fields Too Large")
        }
        #expect(RelayLimits().headBytes == 64 << 10)
    }

    @Test func pathsAreLimited() async throws {
        try await run { relay in
            let path = String(repeating: "x", count: 66_000)
            let answer = try await relay.exchange("GET /SECRET/\(path) HTTP/1.1\r\nHost: HOST\r\n\r\n")
            #expect(answer.statusLine == "HTTP/1.1 431 Request Header Fields Too Large")
        }
    }

    /// A client learns why, although the parser lets nothing through.
    @Test(arguments: ["GET /SECRET/x?q=ö", "FOO /SECRET/x"]) func badHeadsAreExplained(begin: String) async throws {
        try await run { relay in
            let answer = try await relay.exchange("\(begin) HTTP/1.1\r\nHost: HOST\r\n\r\n")
            #expect(answer.statusLine == "HTTP/1.1 400 Bad Request")
            #expect(answer.afterHead.hasSuffix(".\n"), "\(answer)")
        }
    }

    /// RFC 9110 §9.3.2.
    @Test func noAnswerToHEADHasABody() async throws {
        try await run { relay in
            let answer = try await relay.exchange("HEAD /wrong HTTP/1.1\r\nHost: HOST\r\n\r\n")
            #expect(answer.statusLine == "HTTP/1.1 403 Forbidden")
            #expect(answer.afterHead.isEmpty && !answer.contains("\r\nContent-Length: 0\r\n"))
        }
    }

    @Test func aLongHeadPasses() async throws {
        try await run { relay in
            let answer = try await relay.get("/json", "X-Long: \(String(repeating: "x", count: 50_000))")
            #expect(answer.statusLine == "HTTP/1.1 200 OK")
        }
    }

    /// The end of the exchange is the connection's end: a time limit that does not work fails by the test's own.
    @Test(arguments: ["", "GET /SECRET/json HTTP/1.1\r\nHost:", "\r\n\r\n\r\n"])
    func slowHeadsEndTheConnection(begin: String) async throws {
        var limits = RelayLimits()
        limits.headTime = .milliseconds(300)
        try await run("/", limits) { relay in
            let bytes = ByteBuffer(string: relay.filled(begin))
            try await RawClient.converse("127.0.0.1", relay.port) { answers, requests in
                // The relay may have ended the connection before. Then reading may fail, too.
                try? await requests.write(bytes)
                let answer = try? await answers.next()
                #expect(answer == nil)
            }
        }
        #expect(RelayLimits().headTime == .seconds(30))
    }

    /// The client has the time to send the first request, and sends no second one.
    @Test func anIdleConnectionEnds() async throws {
        var limits = RelayLimits()
        limits.headTime = .seconds(5)
        try await run("/", limits) { relay in
            let answer = try await relay.exchange("GET /SECRET/bytes/3 HTTP/1.1\r\nHost: HOST\r\n\r\n")
            #expect(answer.statusLine == "HTTP/1.1 200 OK")
        }
    }

    /// The time of an answer is the target's.
    @Test func aSlowAnswerIsNoSlowHead() async throws {
        var limits = RelayLimits()
        limits.headTime = .seconds(5)
        try await run("/", limits) { relay in
            let answer = try await relay.get("/ticks?every=3000&count=3")
            #expect(answer.contains("tick 2"))
        }
    }

    // MARK: Bytes

    /// Requests that two readers would split differently.
    @Test(arguments: [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /SECRET/smuggled HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "Content-Length: 0\r\nContent-Length: 44\r\n\r\nGET /SECRET/smuggled HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\nGET /SECRET/smuggled HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\nGET /SECRET/smuggled HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "Transfer-Encoding:\u{b}chunked\r\n\r\n0\r\n\r\nGET /SECRET/smuggled HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "X: y\r\n Content-Length: 5\r\n\r\n",
        "X: y\rContent-Length: 5\r\n\r\n",
        "X\0: y\r\n\r\n",
    ])
    func ambiguousBytesAreRefused(rest: String) async throws {
        try await run { relay in
            let answer = try await relay.exchange("POST /SECRET/echo HTTP/1.1\r\nHost: HOST\r\n\(rest)")
            #expect(answer.statusLine.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
        }
        #expect(landscape.count(path: "/smuggled") == 0)
    }

    /// Collects what the relay's owner is told.
    private final class Told: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock(\.self) }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    @Test func aClientOfAnotherUserIsRefusedAndTheOwnerTold() async throws {
        let told = Told()
        let notices = RefusalNotices { told.add($0) }
        try await run { relay in
            let channel = try await RawClient.connect("127.0.0.1", relay.port).channel
            let (client, server) = (try #require(channel.localAddress), try #require(channel.remoteAddress))
            try await PeerCheck(notices).admit(client, at: server, on: channel.eventLoop).get()
            #expect(told.all.isEmpty)
            let check = PeerCheck(notices, owner: geteuid() + 1)
            for _ in 0..<3 {
                await #expect(throws: PeerCheck.ForeignClient.self) {
                    try await check.admit(client, at: server, on: channel.eventLoop).get()
                }
            }
            let expected = "A program of the user \(geteuid()) was refused: only yours may use the relay."
            #expect(told.all == [expected])
            try await channel.close()
        }
    }

    @Test func refusalsAreToldOnceAMinute() {
        let told = Told()
        let notices = RefusalNotices { told.add($0) }
        let start = ContinuousClock.now
        for seconds in [0, 59, 60, 119, 120] { notices.refused(connections: 512, at: start + .seconds(seconds)) }
        notices.refused(user: 7, at: start + .seconds(120))
        #expect(told.all.count { $0.contains("512") } == 3 && told.all.count == 4)
    }

    @Test func theUserOfAConnectionIsKnown() async throws {
        #expect(PeerUser.isKnown)
        try await run { relay in
            let channel = try await RawClient.connect("127.0.0.1", relay.port).channel
            let (client, server) = (try #require(channel.localAddress), try #require(channel.remoteAddress))
            let tables = PeerUser.readTables()
            let ends = [client, server].map { PeerUser.Endpoint(ipAddress: $0.ipAddress, port: $0.port) }
            #expect(PeerUser.user(of: ends[0], at: ends[1], in: tables) == geteuid())
            let other = PeerUser.Endpoint(ipAddress: "127.0.0.1", port: 1)
            #expect(PeerUser.user(of: ends[0], at: other, in: tables) == nil)
            try await channel.close()
        }
    }
}
