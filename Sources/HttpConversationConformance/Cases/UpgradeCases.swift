import HTTPTypes
import HttpConversation

extension CaseList {
    static let upgrades: [ConformanceCase] =
        [false, true].map { isSecure in
            upgrade(
                isSecure ? "both-ways-with-tls" : "both-ways", "after a 101, bytes go both ways as they are"
            ) { run in
                try await run.raw(tls: isSecure ? SuiteAuthority.context() : nil, host: "localhost") { connection in
                    let head = try await connection.readHead()
                    try expect(head.hasPrefix("GET /chat HTTP/1.1\r\n"), "the request in HTTP/1.1", head)
                    let fields = head.lowercased()
                    try expect(fields.contains("\r\nupgrade: test\r\n"), "Upgrade", head)
                    try expect(fields.contains("\r\nconnection: upgrade\r\n"), "Connection", head)
                    try expect(!fields.contains("\r\ntransfer-encoding:"), "no framing of a body", head)
                    // The first bytes come together with the head.
                    try await connection.write(switching + "HTTP/1.1 200 OK\r\n\r\n")
                    while let bytes = try await connection.read() { try await connection.write(bytes) }
                } _: { client in
                    let (pieces, source) = AsyncStream.makeStream(of: [UInt8].self)
                    let response = try await client.upgrade("/chat", sending: pieces)
                    try expect(response.head.status.code, is: 101, "the status")
                    var received = try await response.body.next() ?? []
                    try expect(String(decoding: received, as: UTF8.self), is: "HTTP/1.1 200 OK\r\n\r\n", "the start")
                    for size in [1, 300_000] {
                        received = []
                        source.yield([UInt8](repeating: 9, count: size))
                        while received.count < size, let bytes = try await response.body.next() { received += bytes }
                        try expect(received, is: [UInt8](repeating: 9, count: size), "the echo")
                    }
                    source.finish()
                    try expect(try await response.body.next() == nil, is: true, "the end")
                    try await client.expectClosed(1)
                }
            }
        } + [
            upgrade("server-ends", "the server's end ends the response, with all bytes before it") { run in
                try await run.raw { connection in
                    _ = try await connection.readHead()
                    try await connection.write(switching + "last")
                } _: { client in
                    let response = try await client.upgrade(sending: silent())
                    let bytes = try await response.body.collect(upTo: 100)
                    try expect(String(decoding: bytes, as: UTF8.self), is: "last", "the bytes")
                    try await client.expectClosed(1)
                }
            },
            upgrade("refused-by-the-server", "an answer instead of a 101 is the response, and the body is not sent") {
                run in
                try await run.raw { connection in
                    for _ in 0..<2 {
                        _ = try await connection.readHead()
                        try await connection.respond("no")
                    }
                    try await connection.untilClosed()
                } _: { client in
                    for _ in 0..<2 {
                        let response = try await client.upgrade(sending: canary())
                        try expect(response.head.status.code, is: 200, "the status")
                        let bytes = try await response.body.collect(upTo: 100)
                        try expect(String(decoding: bytes, as: UTF8.self), is: "no", "the body")
                    }
                    try client.expectConnections(1)
                }
            },
            upgrade("cancelled", "dropping the response closes the connection") { run in
                try await run.raw { connection in
                    _ = try await connection.readHead()
                    try await connection.write(switching)
                    try await connection.untilClosed()
                } _: { client in
                    _ = try await client.upgrade(sending: silent())
                    try await client.expectClosed(1)
                }
            },
            upgrade("not-pooled", "a changed connection serves no other request, and takes no other's place") { run in
                try await run.raw { connection in
                    let head = try await connection.readHead()
                    if head.hasPrefix("GET /chat ") {
                        try await connection.write(switching)
                    } else {
                        try await connection.respond("ok")
                    }
                    try await connection.untilClosed()
                } _: { client in
                    var open: [TransportResponse] = []
                    // More than a pool's connections to one server.
                    for _ in 0..<80 { open.append(try await client.upgrade("/chat", sending: silent())) }
                    try await client.expect("ok")
                    try client.expectConnections(81)
                    try expect(open.count, is: 80, "changed connections")
                }
            },
            upgrade("silence", "silence of both sides ends the exchange") { run in
                try await run.raw { connection in
                    _ = try await connection.readHead()
                    try await connection.write(switching)
                    try await connection.untilClosed()
                } _: { client in
                    let response = try await client.upgrade(sending: silent()) { $0.idleTimeout = .milliseconds(200) }
                    do throws(ConversationError) {
                        _ = try await response.body.next()
                        throw ConversationError(.malformedResponse, "The body ended.")
                    } catch {
                        try Client.check(error, [.timedOut])
                    }
                    try await client.expectClosed(1)
                }
            },
            upgrade("slow-reader", "a reader that is slow stops the server", needs: .streamingResponses) { run in
                let total = 64 << 20
                let accepted = Counter()
                try await run.raw { connection in
                    _ = try await connection.readHead()
                    try await connection.write(switching)
                    let piece = [UInt8](repeating: 7, count: 64 << 10)
                    while accepted.value < total {
                        try await connection.write(piece)
                        accepted.add(piece.count)
                    }
                    try await connection.untilClosed()
                } _: { client in
                    let body = try await client.upgrade(sending: silent()).body
                    try await standsStill(accepted)
                    try expect(accepted.value < total, "fewer than \(total) bytes to be taken", "\(accepted.value)")
                    var received = 0
                    while received < total, let chunk = try await body.next() { received += chunk.count }
                    try expect(received, is: total, "bytes")
                }
            },
            upgrade("slow-server", "a server that is slow stops the source") { run in
                let pulled = Counter()
                let gate = Gate()
                let total = 64 << 20
                try await run.raw { connection in
                    _ = try await connection.readHead()
                    try await connection.write(switching)
                    await gate.wait()
                    var left = total
                    while left > 0, let bytes = try await connection.read() { left -= bytes.count }
                    try await connection.write(left == 0 ? "all" : "some")
                } _: { client in
                    let body = RequestBody.stream {
                        RequestBodyStream {
                            guard pulled.value < total else {
                                try await Task.sleep(for: .seconds(600))
                                return nil
                            }
                            pulled.add(64 << 10)
                            return [UInt8](repeating: 1, count: 64 << 10)
                        }
                    }
                    let response = try await client.send(.get, "/", body: body) { $0.upgrade = "test" }
                    await pulled.wait(for: 1)
                    try await standsStill(pulled)
                    try expect(pulled.value < total, "fewer than \(total) bytes to be pulled", "\(pulled.value)")
                    gate.open()
                    let bytes = try await response.body.collect(upTo: 100)
                    try expect(String(decoding: bytes, as: UTF8.self), is: "all", "the answer")
                }
            },
            upgrade("tunnelled", "a proxy tunnels it, also without TLS", needs: .proxies) { run in
                try await run.raw { connection in
                    let connect = try await connection.readHead()
                    try expect(connect.hasPrefix("CONNECT h.example:81 HTTP/1.1\r\n"), "CONNECT", connect)
                    try await connection.write("HTTP/1.1 200 OK\r\n\r\n")
                    let head = try await connection.readHead()
                    try expect(head.hasPrefix("GET / HTTP/1.1\r\n"), "the origin form", head)
                    try expect(!head.contains("for-the-proxy"), "nothing for the proxy", head)
                    try await connection.write(switching + "through")
                } _: { client in
                    let route = ProxyRoute(try ProxyServer(.http, host: "127.0.0.1", port: try client.server.port))
                    let fields: HTTPFields = [.proxyAuthorization: "Basic for-the-proxy"]
                    let response = try await client.at("http://h.example:81").upgrade(sending: silent(), fields: fields)
                    {
                        $0.proxy = route
                    }
                    let bytes = try await response.body.collect(upTo: 100)
                    try expect(String(decoding: bytes, as: UTF8.self), is: "through", "the bytes")
                }
            },
        ]
        + [
            ("another protocol", "HTTP/1.1 101 X\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n"),
            ("no protocol", "HTTP/1.1 101 X\r\nConnection: Upgrade\r\n\r\n"),
            ("two protocols", "HTTP/1.1 101 X\r\nUpgrade: test\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n"),
            ("no connection option", "HTTP/1.1 101 X\r\nUpgrade: test\r\n\r\n"),
            ("an old version", "HTTP/1.0 101 X\r\nUpgrade: test\r\nConnection: Upgrade\r\n\r\n"),
        ].map { title, answer in
            upgrade("refused-" + slug(title), "a 101 with \(title) is refused, and the body is not sent") { run in
                try await run.raw { connection in
                    _ = try await connection.readHead()
                    try await connection.write(answer)
                    while let bytes = try await connection.read() {
                        try expect(false, "no byte of the body", String(decoding: bytes, as: UTF8.self))
                    }
                } _: { client in
                    do throws(ConversationError) {
                        _ = try await client.upgrade(sending: canary())
                        throw ConversationError(.cancelled, "It was accepted.")
                    } catch {
                        try Client.check(error, [.malformedResponse])
                    }
                    try await client.expectClosed(1)
                }
            }
        }

    private static let switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: Test\r\nConnection: Upgrade\r\n\r\n"

    private static func upgrade(
        _ name: String, _ title: String, needs: TransportCapabilities = [],
        _ run: @escaping @Sendable (CaseRun) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(.upgrades, name, title, on: [.http1], needs: needs.union(.upgrades), run: run)
    }

    /// Bytes that never come.
    private static func silent() -> AsyncStream<[UInt8]> { AsyncStream { _ in } }

    /// Bytes that must not be sent.
    private static func canary() -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            continuation.yield(Array("canary".utf8))
            continuation.finish()
        }
    }
}

extension Client {
    /// Asks for the protocol `test`.
    fileprivate func upgrade(
        _ path: String = "/", sending pieces: AsyncStream<[UInt8]>, fields: HTTPFields = [:],
        options: (inout TransportOptions) -> Void = { _ in }
    ) async throws(ConversationError) -> TransportResponse {
        try await send(.get, path, fields: fields, body: .oneShot(pieces)) {
            $0.upgrade = "test"
            options(&$0)
        }
    }
}
