import HttpC
import HttpCClient
import HttpConversationConformance
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import HttpCRelay

/// WebSockets through a relay, byte by byte.
@Suite(.timeLimit(.minutes(1))) struct RelayWebSocketTests {
    private static let fields = """
        Host: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n
        """
    private static let handshake = "GET /SECRET/chat HTTP/1.1\r\n\(fields)\r\n"
    private static let switching = """
        HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSet-Cookie: S=1\r\n\
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n
        """

    private func run(
        _ script: @escaping RawServer.Script, user: UserArgument? = nil,
        _ work: @Sendable (TestRelay, RawServer) async throws -> Void
    ) async throws {
        try await RawServer.run(script: script) { server in
            try await TestRelay.run(to: server.url + "/app/", user: user) { relay in try await work(relay, server) }
        }
    }

    /// The client does not wait for the answer with its first bytes.
    @Test func bytesGoBothWaysAfterALogin() async throws {
        try await run(
            { connection in
                _ = try await connection.readHead()
                try await connection.write(
                    "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
                let head = try await connection.readHead().lowercased()
                guard head.contains("authorization: basic ytpi"), head.contains("\r\nupgrade: websocket\r\n") else {
                    return
                }
                try await connection.write(Self.switching + "first,")
                try await connection.write(connection.readBytes(5))
            }, user: UserArgument("a:b")
        ) { relay, server in
            let answer = try await relay.exchange(Self.handshake + "early")
            #expect(answer.statusLine == "HTTP/1.1 101 Switching Protocols", "\(answer)")
            #expect(answer.hasSuffix("\r\n\r\nfirst,early"))
            #expect(answer.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
            #expect(answer.contains("\r\nUpgrade: websocket\r\n") && answer.contains("\r\nConnection: Upgrade\r\n"))
            #expect(answer.contains("\r\nReferrer-Policy: no-referrer\r\n") && !answer.contains("Set-Cookie"))
            #expect(server.connectionCount == 1)
        }
    }

    @Test func theTargetSeesItsOwnOrigin() async throws {
        let seen = Mutex("")
        try await run({ connection in
            let head = try await connection.readHead()
            seen.withLock { $0 = head }
            try await connection.write(Self.switching)
        }) { relay, server in
            let more = "Origin: http://HOST\r\nSec-WebSocket-Protocol: chat\r\nCookie: own=1\r\n"
            _ = try await relay.exchange("GET /SECRET/chat?x HTTP/1.1\r\n\(Self.fields)\(more)\r\n")
            let head = seen.withLock { $0 }
            #expect(head.hasPrefix("GET /app/chat?x HTTP/1.1\r\n"))
            #expect(head.contains("\r\nOrigin: \(server.url)\r\n"))
            #expect(head.contains("\r\nSec-WebSocket-Protocol: chat\r\n"))
            #expect(head.contains("\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"))
            #expect(!head.contains(relay.secret) && !head.contains("own=1"))
        }
    }

    /// The last bytes of a client that closes at once are not lost.
    @Test func theClientsEndComesAfterItsBytes() async throws {
        let received = Mutex(0)
        try await run({ connection in
            _ = try await connection.readHead()
            try await connection.write(Self.switching)
            while let bytes = try await connection.read() { received.withLock { $0 += bytes.count } }
        }) { relay, server in
            try await RawClient.converse("127.0.0.1", relay.port) { inbound, outbound in
                try await outbound.write(ByteBuffer(string: relay.filled(Self.handshake)))
                _ = try await inbound.next()
                try await outbound.write(ByteBuffer(repeating: 7, count: 3_000_000))
            }
            await server.wait { $0.closedCount == 1 }
            #expect(received.withLock { $0 } == 3_000_000)
        }
    }

    @Test func theRelaysEndEndsBothSides() async throws {
        try await RawServer.run(script: { connection in
            _ = try await connection.readHead()
            try await connection.write(Self.switching)
            try await connection.untilClosed()
        }) { server in
            try await TestRelay.run(to: server.url) { relay in
                try await RawClient.converse("127.0.0.1", relay.port) { inbound, outbound in
                    try await outbound.write(ByteBuffer(string: relay.filled(Self.handshake)))
                    _ = try await inbound.next()
                    await relay.server.stop()
                    #expect(try await inbound.next() == nil)
                }
            }
            await server.wait { $0.closedCount == 1 }
        }
    }

    @Test func aTargetThatDeclinesIsHeard() async throws {
        try await run({ connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
            try await connection.untilClosed()
        }) { relay, _ in
            let answer = try await relay.exchange(Self.handshake + "early")
            #expect(answer.statusLine == "HTTP/1.1 403 Forbidden" && answer.afterHead == "no")
        }
    }

    @Test(arguments: [
        "HTTP/1.1 101 X\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
        "HTTP/1.1 101 X\r\nConnection: Upgrade\r\n\r\n",
    ])
    func anotherProtocolIsABadGateway(head: String) async throws {
        try await run({ connection in
            _ = try await connection.readHead()
            try await connection.write(head + "smuggled")
            try await connection.untilClosed()
        }) { relay, _ in
            let answer = try await relay.exchange(Self.handshake)
            #expect(answer.statusLine == "HTTP/1.1 502 Bad Gateway" && !answer.contains("smuggled"))
        }
    }

    /// A login of redirects, which lead through another server back to the request: it is sent again as a whole.
    @Test func redirectsOfALoginLeadBackToTheRequest() async throws {
        let provider = Mutex("")
        let heads = Mutex<[String]>([])
        try await run({ connection in
            while true {
                let head = try await connection.readHead()
                heads.withLock { $0.append(head) }
                if head.lowercased().contains("\r\ncookie: s=1\r\n") {
                    return try await connection.write(Self.switching + "in")
                }
                let location = provider.withLock { $0 }
                try await connection.write(
                    "HTTP/1.1 302 X\r\nSet-Cookie: S=1\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
            }
        }) { relay, server in
            let back = "\(server.url)/app/chat"
            try await RawServer.run(script: { connection in
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 302 X\r\nLocation: \(back)\r\nContent-Length: 0\r\n\r\n")
                try await connection.untilClosed()
            }) { other in
                provider.withLock { $0 = other.url }
                let answer = try await relay.exchange(Self.handshake)
                #expect(answer.statusLine == "HTTP/1.1 101 Switching Protocols" && answer.hasSuffix("\r\n\r\nin"))
                #expect(other.connectionCount == 1)
                let asked = heads.withLock { $0 }
                #expect(asked.count == 2)
                #expect(asked.allSatisfy { $0.contains("\r\nSec-WebSocket-Key: ") && $0.contains("\r\nUpgrade: ") })
            }
        }
    }

    /// A client that sends on before the target has answered is bounded.
    @Test func earlyBytesAreBounded() async throws {
        try await run({ connection in
            _ = try await connection.readHead()
            try await connection.untilClosed()
        }) { relay, server in
            try? await RawClient.converse("127.0.0.1", relay.port) { inbound, outbound in
                try await outbound.write(ByteBuffer(string: relay.filled(Self.handshake)))
                await server.wait { $0.connectionCount == 1 }
                try await outbound.write(ByteBuffer(repeating: 7, count: 5_000_000))
                _ = try await inbound.next()
            }
            await server.wait { $0.closedCount == 1 }
        }
    }

    /// The decoder stops after such a request, as it may be followed by another protocol.
    @Test func anotherProtocolEndsTheConnection() async throws {
        try await run({ connection in
            let head = try await connection.readHead().lowercased()
            try await connection.respond(head.contains("upgrade") ? "asked" : "whole")
            try await connection.untilClosed()
        }) { relay, _ in
            let answer = try await relay.exchange(
                "GET /SECRET/x HTTP/1.1\r\nHost: HOST\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: x\r\n\r\n"
            )
            #expect(answer.hasSuffix("whole") && answer.contains("\r\nConnection: close\r\n"))
        }
    }
}
