import Foundation
import HttpC
import HttpConvFiles
import HttpConversationTesting
import LandscapeSupport
import TestSupport
import Testing

@testable import HttpConvAuthFlows

/// CSRF tokens over sockets, at services of the landscape.
@Suite("CSRF tokens", .landscape, .timeLimit(.minutes(2))) struct CSRFFilterTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test func theNeedIsLearnedFromTheFirst403() async throws {
        let bench = try CSRFBench(landscape)
        #expect(try await bench.post("/csrf/svc/Products", 3) == 3)
        #expect(
            bench.arrived() == [
                "POST /csrf/svc/Products", "GET /csrf/svc/ fetch", "POST /csrf/svc/Products token",
            ])
        // From then on the token is sent ahead, also below an entity and with $batch.
        for path in ["Products", "Products(1)/Supplier", "$batch"] {
            #expect(try await bench.post("/csrf/svc/" + path, 1) == 1)
        }
        #expect(try await bench.send(.delete, "/csrf/svc/Products(1)").status == .ok)
        #expect(bench.arrived().dropFirst(3).allSatisfy { $0.hasSuffix(" token") })
        #expect(bench.arrived().count == 7)
        // Another service has a token of its own.
        #expect(try await bench.post("/csrf/second/Products", 2) == 2)
        #expect(bench.tokens().count == 2)
    }

    @Test func aConfiguredServiceIsAskedAhead() async throws {
        let bench = try CSRFBench(landscape, services: ["/csrf/svc?sap-client=100"])
        #expect(try await bench.post("/csrf/svc/a/b/c", 3) == 3)
        #expect(bench.arrived() == ["GET /csrf/svc fetch", "POST /csrf/svc/a/b/c token"])
        #expect(landscape.requests().first?.target == "/csrf/svc?sap-client=100")
        #expect(landscape.csrfCounters.refused == 0)
    }

    @Test func whatChangesNothingIsLeftAlone() async throws {
        let bench = try CSRFBench(landscape, services: ["/csrf/svc/"])
        for method in [HTTPRequest.Method.get, .head, .options] {
            #expect(try await bench.send(method, "/csrf/svc/Products").status == .ok)
        }
        #expect(bench.cache.isEmpty)
        _ = try await bench.post("/csrf/svc/Products", 1)
        for method in [HTTPRequest.Method.get, .head, .options] {
            #expect(try await bench.send(method, "/csrf/svc/Products").status == .ok)
        }
        let reads = bench.arrived().filter { !$0.hasPrefix("POST") && !$0.hasSuffix("fetch") }
        #expect(reads == ["GET", "HEAD", "OPTIONS", "GET", "HEAD", "OPTIONS"].map { "\($0) /csrf/svc/Products" })
        #expect(landscape.csrfCounters.fetches == 1)
    }

    @Test func whereNoTokenIsDemandedNothingIsAdded() async throws {
        let bench = try CSRFBench(landscape)
        for _ in 0..<3 { #expect(try await bench.send(.post, "/echo", body: .text("x")).status == .ok) }
        #expect(try await bench.send(.post, "/basic/realm1/x").status == .unauthorized)
        #expect(bench.arrived() == ["POST /echo", "POST /echo", "POST /echo", "POST /basic/realm1/x"])
        #expect(bench.cache.isEmpty)
    }

    // MARK: In parallel

    @Test(arguments: [true, false])
    func twoHundredWritersShareOneFetch(_ ahead: Bool) async throws {
        let bench = try CSRFBench(landscape, services: ahead ? ["/csrf/svc/"] : [])
        let gate = landscape.hold("/csrf/svc/")
        async let lengths = bench.postAll(200, to: "/csrf/svc/")
        try await bench.waitForFetch(200, of: "/csrf/svc/")
        gate.release()
        #expect(try await lengths == Array(0..<200))
        let counters = landscape.csrfCounters
        #expect(counters.fetches == 1)
        #expect(counters.accepted == 200)
        #expect(ahead ? counters.refused == 0 : (1...200).contains(counters.refused))
        #expect(landscape.requests(method: "POST").count == 200 + counters.refused)
        #expect(bench.tokens().count == 1)
    }

    @Test func anExpiredTokenIsFetchedOnceInTheMiddleOfManyWriters() async throws {
        let bench = try CSRFBench(landscape)
        #expect(try await bench.postAll(100, to: "/csrf/svc/") == Array(0..<100))
        let before = landscape.csrfCounters
        for round in 1...3 {
            landscape.expireCSRFTokens()
            #expect(try await bench.postAll(200, to: "/csrf/svc/") == Array(0..<200))
            #expect(landscape.csrfCounters.fetches == before.fetches + round)
        }
        #expect(landscape.csrfCounters.accepted == before.accepted + 600)
        #expect(landscape.csrfCounters.refused > before.refused)
    }

    /// A server whose login starts a session with each request that has none: late answers set other sessions than the
    /// one in which the token was fetched.
    @Test func aSessionThatIsReplacedMeanwhileLosesNobody() async throws {
        let bench = try CSRFBench(landscape)
        #expect(try await bench.postAll(200, to: "/csrf/eager/") == Array(0..<200))
        #expect(landscape.csrfCounters.accepted == 200)
        #expect(landscape.csrfCounters.refused > 0)
        #expect(landscape.csrfCounters.refused <= 200)
        #expect(landscape.csrfCounters.fetches < 20)
    }

    @Test func aServiceWithoutATokenIsAskedOnce() async throws {
        let bench = try CSRFBench(landscape, services: ["/csrf/tokenless/"])
        let gate = landscape.hold("/csrf/tokenless/")
        async let lengths = bench.postAll(50, to: "/csrf/tokenless/")
        try await bench.waitForFetch(50, of: "/csrf/tokenless/")
        gate.release()
        #expect(try await lengths.allSatisfy { $0 == nil })
        // Once ahead, and once if the service refused the first token.
        #expect((1...2).contains(landscape.csrfCounters.fetches))
        #expect(landscape.requests(method: "POST").count == 50)
    }

    /// This holds even for a configured service: it has no token and demands none.
    @Test func aServiceThatWantsNoTokenIsAskedOnce() async throws {
        let bench = try CSRFBench(landscape, services: ["/echo"])
        for _ in 0..<3 { #expect(try await bench.send(.post, "/echo/x", body: .text("x")).status == .ok) }
        #expect(bench.arrived() == ["GET /echo fetch", "POST /echo/x", "POST /echo/x", "POST /echo/x"])
    }

    // MARK: Sessions and origins

    @Test func aTokenIsGoodInItsSessionOnly() async throws {
        let (alice, bob) = (try CSRFBench(landscape), try CSRFBench(landscape))
        for bench in [alice, bob, alice, bob] { #expect(try await bench.post("/csrf/svc/x", 1) == 1) }
        #expect(landscape.csrfCounters.fetches == 2)
        #expect(alice.tokens().count == 2)
        // The server forgets the session: a new session, and its token.
        landscape.endCSRFSessions()
        #expect(try await alice.post("/csrf/svc/x", 1) == 1)
        #expect(landscape.csrfCounters.fetches == 3)
        #expect(alice.tokens().count == 3)
    }

    @Test func anotherOriginGetsATokenOfItsOwnOnly() async throws {
        let bench = try CSRFBench(landscape, services: ["/csrf/svc/"])
        #expect(try await bench.post("/csrf/svc/x", 1) == 1)
        let ours = bench.tokens()
        #expect(ours.count == 1)
        #expect(try await bench.send(.post, "/csrf/svc/x", on: .other).status == .ok)
        #expect(
            bench.arrived(.other) == ["POST /csrf/svc/x", "GET /csrf/svc/ fetch", "POST /csrf/svc/x token"])
        #expect(bench.tokens(.other).isDisjoint(with: ours))
        // A path beside the service, on its own origin, does not get the token, either.
        _ = try await bench.send(.post, "/csrf/svc2/x", token: nil)
        #expect(bench.arrived().contains("POST /csrf/svc2/x"))
    }

    // MARK: Retries

    @Test func whoAlwaysDemandsATokenIsAnsweredOnceMore() async throws {
        let bench = try CSRFBench(landscape)
        let response = try await bench.send(.put, "/csrf/never/x", body: .text("x"))
        #expect(response.status == .forbidden)
        #expect(response.text == "CSRF token validation failed\n")
        #expect(
            bench.arrived() == ["PUT /csrf/never/x", "GET /csrf/never/ fetch", "PUT /csrf/never/x token"])
    }

    @Test func theCallersOwnTokenWins() async throws {
        let bench = try CSRFBench(landscape, services: ["/csrf/svc/"])
        let first = try await bench.send(.post, "/csrf/svc/x", token: "mine")
        #expect(first.status == .forbidden)
        #expect(landscape.requests().map { $0.values(of: "X-CSRF-Token") } == [["mine"]])
        _ = try await bench.post("/csrf/svc/x", 1)
        #expect(try await bench.send(.post, "/csrf/svc/x", token: "mine").status == .forbidden)
        #expect(landscape.requests().last?.values(of: "X-CSRF-Token") == ["mine"])
        #expect(landscape.csrfCounters.fetches == 1)
    }

    @Test func bodiesAreSentAgain() async throws {
        let file = TemporaryPlace.unused("csrf")
        try Data(repeating: 7, count: 300_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let stream = RequestBody.stream { RequestBodyStream(Self.chunks(30)) }
        for body in [RequestBody.bytes([UInt8](repeating: 7, count: 300_000)), .file(file), stream] {
            try await withLandscape { landscape async throws in
                let bench = try CSRFBench(landscape)
                let response = try await bench.send(.post, "/csrf/svc/x", body: body)
                #expect(response.text.contains("\"length\":300000"))
                let lengths = landscape.requests(method: "POST").filter { $0.status == 200 }.map(\.bodyLength)
                #expect(lengths == [300_000])
            }
        }
    }

    @Test func aOneShotBodyEndsInAnErrorAndNothingIsFetched() async throws {
        let bench = try CSRFBench(landscape)
        let body = RequestBody.oneShot(Self.chunks(1))
        #expect(await failureCode { _ = try await bench.send(.post, "/csrf/svc/x", body: body) } == .bodyNotReplayable)
        #expect(bench.arrived() == ["POST /csrf/svc/x"])
        // If the token is known, it is sent at once.
        _ = try await bench.post("/csrf/svc/x", 1)
        let second = try await bench.send(.post, "/csrf/svc/x", body: .oneShot(Self.chunks(1)))
        #expect(second.status == .ok)
    }

    private static func chunks(_ count: Int) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            for _ in 0..<count { continuation.yield([UInt8](repeating: 7, count: 10_000)) }
            continuation.finish()
        }
    }
}
