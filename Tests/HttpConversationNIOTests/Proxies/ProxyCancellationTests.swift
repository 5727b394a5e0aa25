import HTTPTypes
import HttpConversation
import HttpConversationConformance
import Testing

@testable import HttpConversationNIO

/// A cancelled negotiation with a proxy leaves nothing, at any stage.
@Suite(.timeLimit(.minutes(1))) struct ProxyCancellationTests {
    /// A stage: the proxy's answers before it falls silent.
    struct Stage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let kind: ProxyServer.Kind
        var isSecured = false
        var answers: [(read: Int, write: [UInt8])] = []
        var login: ProxyLogin?
        /// Whether the client sends something after the last answer.
        var isAnswered = true
    }

    private static let tunnel = (1, Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
    private static let alice = ProxyLogin(username: "a", password: "b")

    static let stages = [
        Stage(testDescription: "CONNECT", kind: .http),
        Stage(testDescription: "half a head", kind: .http, answers: [(1, [72, 84])], isAnswered: false),
        Stage(testDescription: "TLS in the tunnel", kind: .http, answers: [tunnel]),
        Stage(testDescription: "TLS with the proxy", kind: .https),
        Stage(testDescription: "CONNECT over TLS", kind: .https, isSecured: true),
        Stage(testDescription: "TLS in TLS", kind: .https, isSecured: true, answers: [tunnel]),
        Stage(testDescription: "SOCKS method", kind: .socks5),
        Stage(testDescription: "SOCKS login", kind: .socks5, answers: [(4, [5, 2])], login: alice),
        Stage(testDescription: "SOCKS reply", kind: .socks5, answers: [(3, [5, 0])]),
        Stage(
            testDescription: "TLS behind SOCKS", kind: .socks5,
            answers: [(3, [5, 0]), (4 + 1 + 9 + 2, [5, 0, 0, 1, 0, 0, 0, 0, 0, 0])]),
    ]

    private static func run(
        _ stage: Stage, _ end: @Sendable (NIOTransport, Task<ConversationError?, Never>) async -> Void
    ) async throws -> ConversationError? {
        let authority = try TestAuthority()
        let silent = Counter()
        return try await RawServer.run(tls: stage.isSecured ? authority.serverContext() : nil) { connection in
            for answer in stage.answers {
                if stage.kind == .socks5 {
                    _ = try await connection.readBytes(answer.read)
                } else {
                    _ = try await connection.readHead()
                }
                try await connection.write(answer.write)
            }
            // The client's next message has arrived, and is not answered.
            if stage.isAnswered { _ = try await connection.readBytes(1) }
            silent.add()
            try await connection.untilClosed()
        } _: { proxy in
            let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
            let route = ProxyRoute(
                try ProxyServer(stage.kind, host: "127.0.0.1", port: proxy.port, login: stage.login))
            let task = Task { await transport.failure(.get, "https://h.example/") { $0.proxy = route } }
            await silent.wait(for: 1)
            await end(transport, task)
            let error = await task.value
            await proxy.wait { $0.closedCount == 1 }
            #expect(transport.openCount("https://h.example/", through: route) == 0)
            #expect(transport.waitingCount("https://h.example/", through: route) == 0)
            await transport.shutdown()
            #expect(proxy.connectionCount == 1)
            return error
        }
    }

    @Test(arguments: stages) func cancelled(stage: Stage) async throws {
        let error = try await Self.run(stage) { _, task in task.cancel() }
        #expect(error?.code == .cancelled)
    }

    @Test(arguments: stages) func shutDown(stage: Stage) async throws {
        let error = try await Self.run(stage) { transport, _ in await transport.shutdown() }
        #expect(error?.code == .shutDown)
    }

    /// Cancelling the exchange cancels the computation of the proxy login.
    @Test func cancellationDuringALogin() async throws {
        let asked = Gate()
        let ended = Gate()
        try await RawServer.run {
            try await $0.untilClosed()
        } _: { proxy in
            let transport = NIOTransport.make()
            let source = ProxyAuthorizationSource { _ in
                asked.open()
                defer { ended.open() }
                try await Task.sleep(for: .seconds(3600))
                return "Basic x"
            }
            let route = ProxyRoute(
                try ProxyServer(.http, host: "127.0.0.1", port: proxy.port), authorization: source)
            let task = Task { await transport.failure(.get, "https://h.example/") { $0.proxy = route } }
            await asked.wait()
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            await ended.wait()
            #expect(proxy.connectionCount == 0)
            await transport.shutdown()
        }
    }

    @Test(arguments: ["Basic a\r\nX: y", "Basic \u{0}"]) func anInvalidLoginIsRefused(value: String) async throws {
        try await RawServer.run {
            try await $0.untilClosed()
        } _: { proxy in
            let route = ProxyRoute(
                try ProxyServer(.http, host: "127.0.0.1", port: proxy.port),
                authorization: ProxyAuthorizationSource(fixed: value))
            let error = await NIOTransport.make().failure(.get, "https://h.example/") { $0.proxy = route }
            #expect(error?.code == .invalidRequest)
            #expect(proxy.connectionCount == 0)
        }
    }

    /// Behind a CONNECT of the caller's own, a connection of the pool would be a tunnel.
    @Test(arguments: [true, false]) func aCallersOwnTunnelIsRefused(hasProxy: Bool) async throws {
        try await RawServer.run {
            try await $0.untilClosed()
        } _: { server in
            let route = hasProxy ? ProxyRoute(try ProxyServer(.http, host: "127.0.0.1", port: server.port)) : nil
            let error = await NIOTransport.make().failure(.connect, server.url) { $0.proxy = route }
            #expect(error?.code == .invalidRequest && error?.message.contains("CONNECT") == true)
            #expect(server.connectionCount == 0)
        }
    }
}
