import HTTPTypes
import HttpConversation
import HttpConversationConformance
import Testing

@testable import HttpConversationNIO

/// Servers that are not proxies, and proxies that break the protocol.
@Suite(.timeLimit(.minutes(1))) struct ProxyFaultTests {
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let answer: String
        var code = ConversationError.Code.proxyHandshakeFailed
        var closes = true
    }

    static let faults = [
        Fault(testDescription: "another protocol", answer: "SSH-2.0-OpenSSH\r\n", closes: false),
        Fault(testDescription: "HTTP/2", answer: "HTTP/2.0 200 OK\r\n\r\n"),
        Fault(testDescription: "a page", answer: "<html>", closes: false),
        Fault(testDescription: "four digits", answer: "HTTP/1.1 2000 OK\r\n\r\n"),
        Fault(testDescription: "no digits", answer: "HTTP/1.1 abc OK\r\n\r\n"),
        Fault(testDescription: "less than 100", answer: "HTTP/1.1 099 OK\r\n\r\n"),
        Fault(testDescription: "no status", answer: "HTTP/1.1\r\n\r\n"),
        Fault(testDescription: "a control character", answer: "HTTP/1.1 200 OK\r\nA: b\u{0}c\r\n\r\n"),
        Fault(testDescription: "a bare CR", answer: "HTTP/1.1 200 OK\r\nA: b\rC: d\r\n\r\n"),
        Fault(testDescription: "white space before the fields", answer: "HTTP/1.1 200 OK\r\n A: b\r\n\r\n"),
        Fault(testDescription: "a folded name", answer: "HTTP/1.1 200 OK\r\nA\r\n : b\r\n\r\n"),
        Fault(testDescription: "no field", answer: "HTTP/1.1 200 OK\r\nnothing\r\n\r\n"),
        Fault(testDescription: "no name", answer: "HTTP/1.1 200 OK\r\n: b\r\n\r\n"),
        Fault(testDescription: "a space before the colon", answer: "HTTP/1.1 200 OK\r\nA : b\r\n\r\n"),
        Fault(testDescription: "bytes after the head", answer: "HTTP/1.1 200 OK\r\n\r\nx", closes: false),
        Fault(
            testDescription: "bytes of an announced body", answer: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            closes: false),
        Fault(testDescription: "switching protocols", answer: "HTTP/1.1 101 Switching\r\n\r\n", closes: false),
        Fault(
            testDescription: "a flood of 1xx",
            answer: String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 51), closes: false),
        Fault(
            testDescription: "a head without end",
            answer: "HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 300_000),
            closes: false),
        Fault(
            testDescription: "more fields than anybody needs",
            answer: "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 1001), closes: false),
        Fault(testDescription: "nothing", answer: ""),
        Fault(testDescription: "half a head", answer: "HTTP/1.1 200 OK\r\nA: b\r\n"),
    ]

    @Test(arguments: faults) func noTunnel(fault: Fault) async throws {
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write(fault.answer)
            if !fault.closes { try await connection.untilClosed() }
        } _: { proxy in
            let route = ProxyRoute(try ProxyServer(.http, host: "127.0.0.1", port: proxy.port))
            let error = await transport.failure(.get, "https://h.example/") { $0.proxy = route }
            #expect(error?.code == fault.code, "\(String(describing: error))")
            #expect(error?.message.contains("http://127.0.0.1:\(proxy.port)") == true)
            #expect(transport.openCount("https://h.example/", through: route) == 0)
            await proxy.wait { $0.closedCount == $0.connectionCount }
        }
        await transport.shutdown()
    }

    /// A server that speaks first is not a proxy.
    @Test(arguments: [ProxyServer.Kind.http, .socks5]) func aProxyThatSpeaksFirst(kind: ProxyServer.Kind) async throws {
        try await RawServer.run { connection in
            try await connection.write("220 mail.example ESMTP\r\n")
            try await connection.untilClosed()
        } _: { proxy in
            let route = ProxyRoute(try ProxyServer(kind, host: "127.0.0.1", port: proxy.port))
            let error = await NIOTransport.make().failure(.get, "https://h.example/") { $0.proxy = route }
            #expect(error?.code == .proxyHandshakeFailed)
        }
    }

    /// Any 2xx opens the tunnel, whatever else its head says (RFC 9110 §9.3.6), and in however many pieces it arrives.
    @Test(arguments: [
        "HTTP/1.1 200\r\n\r\n", "HTTP/1.0 200 OK\n\n", "HTTP/1.1 299 Whatever\r\nContent-Length: 7\r\n\r\n",
        "HTTP/1.1 204 None\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a=b\r\nLocation: /\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ]) func tunnels(answer: String) async throws {
        let authority = try TestAuthority()
        let hello = Log()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            for byte in answer.utf8 { try await connection.write([byte]) }
            // The first byte of TLS, a handshake record.
            hello.append("\(try await connection.readBytes(1)[0])")
        } _: { proxy in
            let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
            let route = ProxyRoute(try ProxyServer(.http, host: "127.0.0.1", port: proxy.port))
            let error = await transport.failure(.get, "https://h.example/") { $0.proxy = route }
            #expect(error?.code == .tlsFailed && error?.message.contains("h.example:443") == true)
            #expect(hello.values == ["22"])
        }
    }

    /// Any other answer is the proxy's own. Its body is not read.
    @Test(arguments: [302, 401, 403, 407, 502]) func answersOfTheProxyAreMarked(status: Int) async throws {
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write(
                "HTTP/1.1 \(status) Because\r\nProxy-Authenticate: Basic realm=P\r\nContent-Length: 1000000\r\n\r\npage"
            )
            try await connection.untilClosed()
        } _: { proxy in
            let route = ProxyRoute(try ProxyServer(.http, host: "127.0.0.1", port: proxy.port))
            let response = try await transport.send(.post, "https://h.example/", body: .text("secret")) {
                $0.proxy = route
            }
            #expect(response.isFromProxy)
            #expect(response.head.status.code == status && response.head.status.reasonPhrase == "Because")
            #expect(response.head.headerFields[.proxyAuthenticate] == "Basic realm=P")
            let body = try await response.body.collect(upTo: 10)
            #expect(body.isEmpty)
            await proxy.wait { $0.closedCount == 1 }
        }
        await transport.shutdown()
    }

    /// A response inside the tunnel is the server's.
    @Test func answersInTheTunnelAreTheServers() async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        try await RawServer.run(tls: authority.serverContext()) { connection in
            _ = try await connection.readHead()
            try await connection.write(
                "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=P\r\nContent-Length: 0\r\n\r\n")
        } _: { server in
            try await TestProxy.run { proxy in
                let route = try proxy.route(.http)
                let response = try await transport.send(.get, "https://localhost:\(server.port)/") { $0.proxy = route }
                #expect(response.head.status.code == 407 && !response.isFromProxy)
            }
        }
        await transport.shutdown()
    }

    /// A folded field (obs-fold, RFC 9112 §5.2).
    @Test func foldedFieldsOfProxies() async throws {
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 502 No\r\nServer: a\r\n b\r\n\tc\r\nVia: d\r\n \r\n\r\n")
        } _: { proxy in
            let transport = NIOTransport.make()
            let route = ProxyRoute(try ProxyServer(.http, host: "127.0.0.1", port: proxy.port))
            let response = try await transport.send(.get, "https://h.example/") { $0.proxy = route }
            #expect(response.isFromProxy && response.head.headerFields[.server] == "a  b \tc")
            #expect(response.head.headerFields[.via] == "d")
            await transport.shutdown()
        }
    }

    /// Exchanges that wait for one connection get a challenge together, not one after the other.
    @Test func aChallengeReachesAllWaiters() async throws {
        let count = 20
        let transport = NIOTransport.make()
        let gate = Gate()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            await gate.wait()
            try await connection.write("HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=P\r\n\r\n")
        } _: { proxy in
            let url = "https://h.example/"
            let route = ProxyRoute(try ProxyServer(.http, host: "127.0.0.1", port: proxy.port))
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<count {
                    group.addTask { try await transport.send(.get, url) { $0.proxy = route }.isFromProxy }
                }
                while transport.waitingCount(url, through: route) < count {
                    try await Task.sleep(for: .milliseconds(1))
                }
                gate.open()
                for try await isFromProxy in group { #expect(isFromProxy) }
            }
            #expect(proxy.connectionCount == 1)
            #expect(transport.openCount(url, through: route) == 0)
        }
        await transport.shutdown()
    }

    @Test(arguments: ProxyServer.Kind.all, ["http", "https"]) func aProxyThatNeverAnswers(
        kind: ProxyServer.Kind, scheme: String
    ) async throws {
        // In absolute form, without TLS, the exchange waits for the response.
        let isIdle = kind == .http && scheme == "http"
        let transport = NIOTransport.make()
        try await RawServer.run {
            try await $0.untilClosed()
        } _: { proxy in
            let route = ProxyRoute(try ProxyServer(kind, host: "127.0.0.1", port: proxy.port))
            let error = await transport.failure(.get, "\(scheme)://h.example/") {
                $0.proxy = route
                if isIdle { $0.idleTimeout = .milliseconds(300) } else { $0.connectTimeout = .milliseconds(300) }
            }
            #expect(error?.code == .timedOut)
            #expect(error?.message.contains(isIdle ? "idle timeout" : "connect timeout") == true)
            #expect(error?.message.contains("through the proxy \(kind.rawValue)://127.0.0.1:\(proxy.port)") == true)
            // On a busy machine the time limit may pass before there is a connection.
            await proxy.wait { $0.closedCount == $0.connectionCount }
        }
        await transport.shutdown()
    }

    /// An https URL for a port that speaks http, and the reverse.
    @Test func theWrongKind() async throws {
        try await TestProxy.run { proxy in
            let route = try proxy.route(.https)
            let error = await NIOTransport.make().failure(.get, "https://h.example/") { $0.proxy = route }
            #expect(error?.code == .tlsFailed, "\(String(describing: error))")
            #expect(error?.message.contains("proxy https://127.0.0.1") == true)
        }
        let authority = try TestAuthority()
        try await TestProxy.run(tls: authority.serverContext()) { proxy in
            let route = try proxy.route(.http)
            let error = await NIOTransport.make().failure(.get, "https://h.example/") { $0.proxy = route }
            #expect(error?.code == .proxyHandshakeFailed)
        }
    }
}
