import HttpConversation
import HttpConversationNIO
import Testing

/// What no honest server says: each ends with a typed error, soon.
///
/// One after the other: floods keep the event loops busy, and other tests look at how soon things happen.
@Suite(.serialized, .timeLimit(.minutes(1))) struct HTTP2FaultTests {
    typealias Code = ConversationError.Code

    @Test(arguments: HTTP2Faults.whileSending) func endsAnUpload(_ fault: HTTP2Fault) async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            _ = try await peer.readRequest()
            _ = try await peer.read(HTTP2Peer.data)
            try await peer.write(fault.bytes)
            try await connection.untilClosed()
        } _: { server, transport, url in
            let start = ContinuousClock.now
            // Never ends, and sends no more than the test needs.
            let body = RequestBody.stream(length: nil) {
                let pieces = Counter()
                return RequestBodyStream {
                    if pieces.add() > 3 { try await Task.sleep(for: .seconds(3600)) }
                    return [UInt8](repeating: 1, count: 1 << 14)
                }
            }
            let error = await transport.failure(.post, url, body: body) { $0.idleTimeout = .seconds(20) }
            let code = try #require(error?.code)
            #expect(fault.codes.contains(code), "\(String(describing: error))")
            #expect(ContinuousClock.now - start < .seconds(5))
        }
    }

    @Test(arguments: HTTP2Faults.frames + HTTP2Faults.compression + HTTP2Faults.responses + HTTP2Faults.floods)
    func ends(_ fault: HTTP2Fault) async throws {
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

    /// What is not known, or means nothing, is no fault (RFC 9113 §4.1, §5.5, §6.5.2).
    @Test(arguments: HTTP2Faults.harmless) func isIgnored(_ fault: HTTP2Fault) async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            let stream = try await peer.readRequest()
            try await peer.write(fault.bytes)
            try await peer.respond(stream)
            try await peer.serve()
        } _: { server, transport, url in
            for _ in 0..<2 { try await transport.expect("ok", .post, url, body: .bytes([1])) }
            #expect(server.connectionCount == 1)
        }
    }

    /// What comes after a response in the same breath changes nothing about it.
    @Test(arguments: HTTP2Faults.afterTheEnd) func aCompleteResponseStands(_ fault: HTTP2Fault) async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            let stream = try await peer.readRequest()
            try await peer.write(
                HTTP2Peer.head(stream, [(":status", "200")]) + HTTP2Peer.body(stream, Array("ok".utf8))
                    + fault.bytes)
            try await peer.serve()
        } _: { server, transport, url in
            try await transport.expect("ok", .post, url)
            // Whether its connection lives or not, the next one is served.
            try await transport.expect("ok", .get, url)
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
}
