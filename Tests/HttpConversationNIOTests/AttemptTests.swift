import HTTPTypes
import HttpConversation
import HttpConversationConformance
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import HttpConversationNIO

/// Attempts to connect that take long.
@Suite(.timeLimit(.minutes(1))) struct AttemptTests {
    /// Notes the attempts, and makes no connection.
    private final class Maker: ConnectionMaker {
        let loops: ConnectionLoops
        private let attempts = Mutex<[ConnectAttempt]>([])
        let first = Gate()

        var begun: [ConnectAttempt] { attempts.withLock { $0 } }
        /// The numbers of the attempts that go on.
        var running: [Int] { begun.indices.filter { !begun[$0].isCancelled } }

        init(_ loop: any EventLoop) { loops = ConnectionLoops(loop) }

        func start(_ attempt: ConnectAttempt, for pool: ConnectionPool) {
            attempts.withLock { $0.append(attempt) }
            first.open()
        }
    }

    /// A request that waits for a connection, and simulated time.
    private struct Bench {
        let loop = NIOAsyncTestingEventLoop()
        let maker: Maker
        let exchange: Task<TransportExchange.Outcome, Never>

        init(connectTimeout: Duration = .seconds(30), identity: ClientIdentitySource? = nil) async throws {
            maker = Maker(loop)
            let configuration = NIOTransport.Configuration()
            let pool = ConnectionPool(configuration: configuration, connector: maker)
            let url = try TargetURL("https://server.example/")
            let key = PoolKey(origin: url.origin, protocols: .http2OrHTTP1, identity: identity)
            var options = TransportOptions()
            options.connectTimeout = connectTimeout
            let request = TransportRequest(
                target: url, method: .get, headerFields: [:], body: nil, options: options)
            let wire = WireRequest(request, key: key, payload: .none, configuration: configuration)
            let exchange = TransportExchange(wire, needsFreshConnection: false, pool: pool)
            self.exchange = Task { await exchange.run() }
            await maker.first.wait()
        }

        /// Lets time pass.
        func pass(_ seconds: Int) async {
            for _ in 0..<seconds { await loop.advanceTime(by: .seconds(1)) }
        }

        func end() async throws {
            // On the loop: this kind of loop ends the process if a timer is cancelled elsewhere.
            let exchange = exchange
            try await loop.executeInContext { exchange.cancel() }
            _ = await exchange.value
            #expect(maker.running.isEmpty)
            await loop.shutdownGracefully()
        }
    }

    @Test func othersBeginBesideItAndItEnds() async throws {
        let bench = try await Bench()
        await bench.pass(4)
        #expect(bench.maker.running == [0])
        await bench.pass(1)
        #expect(bench.maker.running == [0, 1])
        await bench.pass(20)
        #expect(bench.maker.running == [0, 1, 2, 3, 4, 5])
        await bench.pass(5)
        #expect(bench.maker.running.first == 1)
        await bench.pass(300)
        #expect(bench.maker.running.count <= 7)
        try await bench.end()
    }

    /// A server may need more time than usual, if its callers have it.
    @Test func theOldestOneGoesOnForPatientCallers() async throws {
        let bench = try await Bench(connectTimeout: .seconds(120))
        await bench.pass(115)
        #expect(bench.maker.running.first == 0 && bench.maker.running.count <= 8)
        await bench.pass(5)
        #expect(bench.maker.running.first != 0)
        try await bench.end()
    }

    /// While a person is asked whether the server is the right one, nobody begins another handshake.
    @Test func theTimeOfACheckDoesNotCount() async throws {
        let bench = try await Bench()
        let answer = Gate()
        bench.maker.begun[0].check { await answer.wait() }
        await bench.pass(100)
        #expect(bench.maker.running == [0])
        answer.open()
        while bench.maker.begun[0].isChecking { await Task.yield() }
        await bench.pass(15)
        #expect(bench.maker.running.starts(with: [0, 1]))
        try await bench.end()
    }

    /// The same for questions about a client certificate.
    @Test func theTimeOfAQuestionDoesNotCount() async throws {
        let (asked, answer) = (Gate(), Gate())
        let source = ClientIdentitySource {
            asked.open()
            await answer.wait()
            return nil
        }
        let question = Task { try await source.identity() }
        await asked.wait()
        let bench = try await Bench(identity: source)
        await bench.pass(100)
        #expect(bench.maker.running == [0])
        answer.open()
        _ = try await question.value
        await bench.pass(15)
        #expect(bench.maker.running.starts(with: [0, 1]))
        try await bench.end()
    }

    /// A server that does not answer its first handshake answers the others, also if only one connection is allowed.
    @Test(arguments: [false, true], [64, 1]) func aHandshakeWithoutAnAnswer(isHTTP2: Bool, limit: Int) async throws {
        let authority = try TestAuthority()
        let way = ConnectionWay(proxy: nil, isSecure: true, isHTTP2: isHTTP2)
        let server = EndingServer(phase: .tls, end: .silence, way: way, authority: authority)
        let transport = NIOTransport.make {
            $0.tls.trustRoots = .pem(authority.pem)
            $0.slowAttemptTime = .milliseconds(100)
            $0.attemptLimit = .milliseconds(600)
            $0.maximumConnectionsPerOrigin = limit
        }
        try await RawServer.run(script: server.serve) { server in
            let url = "https://localhost:\(server.port)/"
            try await withThrowingTaskGroup { group in
                for _ in 0..<5 { group.addTask { try await transport.text(.get, url) } }
                for try await text in group { #expect(text == "ok") }
            }
            await server.wait { $0.closedCount >= 1 }
        }
        await transport.shutdown()
    }
}
