import HttpConversation
import HttpConversationNIO
import Testing

/// What no honest server says: each ends with a typed error, soon.
///
/// One after the other: floods keep the event loops busy, and other tests look at how soon things happen.
@Suite(.serialized, .timeLimit(.minutes(1))) struct HTTP2FaultTests {
    typealias Code = ConversationError.Code

    /// Sent as the answer to the first request, on stream 1.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let codes: [Code]
        let bytes: [UInt8]
        var testDescription: String { name }

        init(_ name: String, _ codes: Code..., bytes: [UInt8]) {
            self.name = name
            self.codes = codes
            self.bytes = bytes
        }
    }

    private typealias Peer = HTTP2Peer
    private static let ok = Peer.head(1, [(":status", "200")])

    /// Frames against the rules of the connection.
    static let frames: [Fault] = [
        Fault("a frame that is too large", .http2Failed, bytes: [0, 0x80, 0, 0, 0, 0, 0, 0, 1]),
        Fault("DATA on no stream", .http2Failed, bytes: Peer.body(0, [1])),
        Fault("HEADERS on no stream", .http2Failed, bytes: Peer.head(0, [(":status", "200")])),
        Fault("DATA on a stream that nobody opened", .http2Failed, bytes: Peer.body(9, [1])),
        Fault("HEADERS on a stream that nobody opened", .http2Failed, bytes: Peer.head(9, [(":status", "200")])),
        Fault("HEADERS on a stream of the server's", .http2Failed, bytes: Peer.head(2, [(":status", "200")])),
        Fault("RST_STREAM on a stream that nobody opened", .http2Failed, bytes: reset(9)),
        Fault("CONTINUATION without HEADERS", .http2Failed, bytes: Peer.frame(Peer.continuation, flags: 4, stream: 1)),
        Fault(
            "DATA amid a head", .http2Failed,
            bytes: Peer.frame(Peer.headers, stream: 1, Peer.block([(":status", "200")])) + Peer.body(1, [1])),
        Fault("SETTINGS of a wrong length", .http2Failed, bytes: Peer.frame(Peer.settings, [1, 2, 3])),
        Fault("SETTINGS on a stream", .http2Failed, bytes: Peer.frame(Peer.settings, stream: 1)),
        Fault("an impossible window setting", .http2Failed, bytes: Peer.settings([(4, 0xFFFF_FFFF)])),
        Fault("an impossible frame size setting", .http2Failed, bytes: Peer.settings([(5, 1)])),
        Fault("a window increment of 0", .http2Failed, .malformedResponse, bytes: increment(0, 0)),
        Fault("a window that overflows", .http2Failed, bytes: increment(0, 0x7FFF_FFFF)),
        Fault(
            "a push", .http2Failed,
            bytes: Peer.frame(Peer.pushPromise, flags: 4, stream: 1, Peer.number(2) + Peer.block([(":method", "GET")]))),
        Fault(
            "a damaged head", .http2Failed, bytes: Peer.frame(Peer.headers, flags: 4, stream: 1, [0xFF, 0xFF, 0xFF])),
        Fault("PING of a wrong length", .http2Failed, bytes: Peer.frame(Peer.ping, [1])),
        Fault("GOAWAY of a wrong length", .http2Failed, bytes: Peer.frame(Peer.goAway, [1])),
        Fault(
            "padding that is longer than its frame", .http2Failed, bytes: ok + Peer.frame(0, flags: 8, stream: 1, [9])),
        Fault(
            "more than the window", .http2Failed, .malformedResponse,
            bytes: ok + (0..<5).flatMap { _ in Peer.body(1, [UInt8](repeating: 1, count: 16_384), ends: false) }),
        Fault("text", .http2Failed, bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)),
    ]

    /// Responses that must not be believed.
    static let responses: [Fault] = [
        Fault("no status", .malformedResponse, bytes: Peer.head(1, [("a", "b")], ends: true)),
        Fault("two statuses", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), (":status", "200")])),
        Fault("a status that is none", .malformedResponse, bytes: Peer.head(1, [(":status", "2x0")], ends: true)),
        Fault("a status of four digits", .malformedResponse, bytes: Peer.head(1, [(":status", "2000")], ends: true)),
        Fault("101", .malformedResponse, bytes: Peer.head(1, [(":status", "101")])),
        Fault("a status after fields", .malformedResponse, bytes: Peer.head(1, [("a", "b"), (":status", "200")])),
        Fault("a field of requests", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), (":path", "/")])),
        Fault("capitals", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), ("X-A", "b")])),
        Fault("Connection", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), ("connection", "close")])),
        Fault(
            "Transfer-Encoding", .malformedResponse,
            bytes: Peer.head(1, [(":status", "200"), ("transfer-encoding", "chunked")])),
        Fault("a line end in a value", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), ("a", "b\r\nc")])),
        Fault("DATA before a head", .malformedResponse, .http2Failed, bytes: Peer.body(1, [1])),
        Fault(
            "an end after 1xx", .malformedResponse, .http2Failed, bytes: Peer.head(1, [(":status", "103")], ends: true)),
        Fault(
            "a body that is too short", .malformedResponse,
            bytes: Peer.head(1, [(":status", "200"), ("content-length", "9")]) + Peer.body(1, [1])),
        Fault(
            "a body that is too long", .malformedResponse,
            bytes: Peer.head(1, [(":status", "200"), ("content-length", "1")]) + Peer.body(1, [1, 2])),
        Fault(
            "two lengths", .malformedResponse,
            bytes: Peer.head(1, [(":status", "200"), ("content-length", "1"), ("content-length", "2")])),
        Fault(
            "trailers that do not end", .malformedResponse, .http2Failed, bytes: ok + Peer.head(1, [("a", "b")])),
    ]

    /// More of something than anybody needs.
    static let floods: [Fault] = [
        Fault("SETTINGS", .http2Failed, bytes: times(1000, Peer.frame(Peer.settings))),
        Fault("PING", .http2Failed, bytes: times(1000, Peer.frame(Peer.ping, [1, 2, 3, 4, 5, 6, 7, 8]))),
        Fault("PRIORITY", .http2Failed, bytes: times(1000, Peer.frame(Peer.priority, stream: 1, [0, 0, 0, 3, 1]))),
        Fault("WINDOW_UPDATE", .http2Failed, bytes: times(5000, increment(1, 1))),
        Fault("empty DATA", .http2Failed, bytes: ok + times(1000, Peer.body(1, [], ends: false))),
        Fault("interim responses", .malformedResponse, bytes: times(100, Peer.head(1, [(":status", "103")]))),
        Fault(
            "CONTINUATION", .http2Failed,
            bytes: Peer.frame(Peer.headers, stream: 1, Peer.block([(":status", "200")]))
                + times(1000, Peer.frame(Peer.continuation, stream: 1))),
        Fault(
            "fields", .tooLarge, .http2Failed,
            bytes: Peer.head(
                1, [(":status", "200")] + Array(repeating: ("a", String(repeating: "b", count: 100)), count: 150))),
        Fault("one large field", .tooLarge, .http2Failed, bytes: largeField()),
        Fault("RST_STREAM", .http2StreamReset, .http2Failed, bytes: times(1000, reset(1))),
    ]

    @Test(arguments: frames + responses + floods) func ends(_ fault: Fault) async throws {
        try await HTTP2Server.run {
            $0.maximumHeadBytes = 8 << 10
        } script: { connection in
            let peer = try await HTTP2Peer.accept(connection)
            _ = try await peer.readRequest()
            try await peer.write(fault.bytes)
            try await connection.untilClosed()
        } _: { server, transport, url in
            let clock = ContinuousClock()
            let start = clock.now
            let error = await transport.failure(.post, url, body: .bytes([1])) { $0.idleTimeout = .seconds(20) }
            let code = try #require(error?.code)
            #expect(fault.codes.contains(code), "\(String(describing: error))")
            #expect(clock.now - start < .seconds(5))
        }
    }

    /// Streams that are reset as fast as they are opened.
    @Test func rapidResets() async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            while true { try await peer.reset(try await peer.readRequest(), 2) }
        } _: { server, transport, url in
            var codes: Set<Code> = []
            for _ in 0..<300 { if let error = await transport.failure(.get, url) { codes.insert(error.code) } }
            #expect(codes.isSubset(of: [.http2StreamReset, .http2Failed]))
            #expect(server.connectionCount > 1)
        }
    }

    /// A server that begins with something else than SETTINGS, or says nothing at all.
    @Test func noPreface() async throws {
        try await HTTP2Server.run { connection in
            _ = try await connection.readBytes(24)
            try await connection.write(HTTP2Peer.frame(HTTP2Peer.ping, [1, 2, 3, 4, 5, 6, 7, 8]))
            try await connection.untilClosed()
        } _: { server, transport, url in
            #expect(await transport.failure(.get, url)?.code == .http2Failed)
        }
    }

    /// What comes after a response in the same breath changes nothing about it.
    @Test func aCompleteResponseStands() async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            let stream = try await peer.readRequest()
            try await peer.write(
                HTTP2Peer.head(stream, [(":status", "200")]) + HTTP2Peer.body(stream, Array("ok".utf8))
                    + HTTP2Peer.body(0, [1]))
            try await connection.untilClosed()
        } _: { server, transport, url in
            try await transport.expect("ok", .post, url)
        }
    }

    /// A fault on one stream is its own matter.
    @Test func othersGoOn() async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 10)])
            var streams: [Int] = []
            while streams.count < 2 { streams.append(try await peer.readRequest()) }
            try await peer.write(HTTP2Peer.head(streams[0], [(":status", "200"), ("connection", "close")], ends: true))
            try await peer.respond(streams[1])
            try await peer.serve()
        } _: { server, transport, url in
            let outcomes = await withTaskGroup(of: Code?.self) { group in
                for _ in 0..<2 { group.addTask { await transport.failure(.get, url)?.code } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == nil } == 1)
            #expect(outcomes.count { $0 == .malformedResponse } == 1)
            try await transport.expect("ok", .get, url)
            #expect(server.connectionCount == 1)
        }
    }

    private static func reset(_ stream: Int) -> [UInt8] { Peer.frame(Peer.rstStream, stream: stream, Peer.number(2)) }

    private static func increment(_ stream: Int, _ by: Int) -> [UInt8] {
        Peer.frame(Peer.windowUpdate, stream: stream, Peer.number(by))
    }

    private static func times(_ count: Int, _ bytes: [UInt8]) -> [UInt8] {
        Array(repeatElement(bytes, count: count).joined())
    }

    private static func largeField() -> [UInt8] {
        let block = Peer.block([(":status", "200"), ("a", String(repeating: "b", count: 40_000))])
        var frames = Peer.frame(Peer.headers, stream: 1, Array(block[..<16_000]))
        frames += Peer.frame(Peer.continuation, stream: 1, Array(block[16_000..<32_000]))
        return frames + Peer.frame(Peer.continuation, flags: 4, stream: 1, Array(block[32_000...]))
    }
}
