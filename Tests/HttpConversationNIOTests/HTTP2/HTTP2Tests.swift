import HTTPTypes
import HttpConversation
import Synchronization
import Testing

@testable import HttpConversationNIO

@Suite(.timeLimit(.minutes(1))) struct HTTP2Tests {
    @Test func oneConnectionServesManyAtOnce() async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 100)])
            var streams: [Int] = []
            while streams.count < 20 { streams.append(try await peer.readRequest()) }
            for stream in streams.reversed() { try await peer.respond(stream, "\(stream)") }
            try await peer.serve()
        } _: { server, transport, url in
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { try await transport.text(.get, url) } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(texts == Set((0..<20).map { "\($0 * 2 + 1)" }))
            let response = try await transport.send(.get, url)
            #expect(response.version == .http2)
            #expect(response.reusedConnection)
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: [["http/1.1"], []]) func aServerOfHTTP1(protocols: [String]) async throws {
        let arrived = Counter()
        try await HTTP2Server.run(protocols: protocols) { connection in
            _ = try await connection.readHead()
            arrived.add()
            await arrived.wait(for: 5)
            try await connection.respond("old")
            try await connection.untilClosed()
        } _: { server, transport, url in
            try await withThrowingTaskGroup(of: ProtocolVersion?.self) { group in
                for _ in 0..<5 { group.addTask { try await transport.send(.get, url).version } }
                for try await version in group { #expect(version == .http11) }
            }
            #expect(server.connectionCount == 5)
        }
    }

    @Test func onlyHTTP1IsOfferedWhereThatIsTheNewest() async throws {
        try await HTTP2Server.run(protocols: ["h2", "http/1.1"]) {
            $0.newestVersion = .http11
        } script: { connection in
            _ = try await connection.readHead()
            try await connection.respond("old")
        } _: { server, transport, url in
            let response = try await transport.send(.get, url)
            #expect(response.version == .http11)
        }
    }

    /// What the server allows at a time is what runs at a time; the rest waits.
    @Test(arguments: [1, 3]) func theServersLimitHolds(limit: Int) async throws {
        let most = Atomic<Int>(0)
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, limit)])
            for _ in 0..<(12 / limit) {
                var open: [Int] = []
                while open.count < limit { open.append(try await peer.readRequest()) }
                // Nothing more comes before a place is free: a ping is answered by what is next.
                try await peer.write(HTTP2Peer.frame(HTTP2Peer.ping, [1, 2, 3, 4, 5, 6, 7, 8]))
                while true {
                    let frame = try await peer.read()
                    if frame.type == HTTP2Peer.headers { open.append(frame.stream) }
                    if frame.type == HTTP2Peer.ping { break }
                }
                most.max(open.count, ordering: .relaxed)
                for stream in open { try await peer.respond(stream) }
            }
            try await peer.serve()
        } _: { server, transport, url in
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<12 { group.addTask { try await transport.text(.get, url) } }
                for try await text in group { #expect(text == "ok") }
            }
            #expect(server.connectionCount == 1)
            #expect(most.load(ordering: .relaxed) == limit)
        }
    }

    @Test func interimResponsesAndTrailers() async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            let stream = try await peer.readRequest()
            try await peer.write(HTTP2Peer.head(stream, [(":status", "103"), ("link", "</a>")]))
            try await peer.write(HTTP2Peer.head(stream, [(":status", "200"), ("x-a", "b")]))
            try await peer.write(HTTP2Peer.body(stream, Array("text".utf8), ends: false))
            try await peer.write(HTTP2Peer.head(stream, [("x-sum", "1")], ends: true))
            try await peer.serve()
        } _: { server, transport, url in
            let response = try await transport.send(.get, url)
            #expect(response.head.status == .ok)
            #expect(response.head.headerFields[.init("x-a") ?? .accept] == "b")
            let bytes = try await response.body.collect(upTo: 100)
            #expect(bytes == Array("text".utf8))
        }
    }

    /// Uploads go no faster than the server's windows allow, and arrive whole.
    @Test(arguments: [10, 70_000, 400_000]) func uploads(count: Int) async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(4, 1000)])
            // By its end the client knows the settings.
            try await peer.respond(try await peer.readRequest())
            let stream = try await peer.readRequest()
            var received = 0
            var window = 1000
            while true {
                let frame = try await peer.read(HTTP2Peer.data)
                received += frame.payload.count
                window -= frame.payload.count
                #expect(window >= 0)
                if frame.endsStream { break }
                if window == 0 {
                    window = 50_000
                    for id in [0, stream] {
                        try await peer.write(
                            HTTP2Peer.frame(HTTP2Peer.windowUpdate, stream: id, HTTP2Peer.number(50_000)))
                    }
                }
            }
            try await peer.respond(stream, "\(received)")
            try await peer.serve()
        } _: { server, transport, url in
            try await transport.expect("ok", .get, url)
            let bytes = [UInt8](repeating: 7, count: count)
            try await transport.expect("\(count)", .post, url, body: .bytes(bytes))
            let stream = RequestBody.stream(length: nil) {
                let rest = Atomic<Int>(3)
                return RequestBodyStream {
                    rest.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 ? [1, 2, 3] : nil
                }
            }
            try await transport.expect("ok", .post, url, body: stream)
        }
    }

    /// An answer that comes first ends the upload, and the stream.
    @Test func anEarlyAnswerStopsTheUpload() async throws {
        let isReset = Gate()
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            let stream = try await peer.readRequest()
            try await peer.write(HTTP2Peer.head(stream, [(":status", "413")], ends: true))
            _ = try await peer.read(HTTP2Peer.rstStream)
            isReset.open()
            try await peer.serve()
        } _: { server, transport, url in
            let body = RequestBody.bytes([UInt8](repeating: 1, count: 4 << 20))
            let response = try await transport.send(.put, url, body: body)
            #expect(response.head.status == .contentTooLarge)
            await isReset.wait()
            try await transport.expect("ok", .get, url)
            #expect(server.connectionCount == 1)
        }
    }

    @Test func cancellingFreesTheStreamAtOnce() async throws {
        let arrived = Gate()
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 1)])
            let stream = try await peer.readRequest()
            arrived.open()
            let frame = try await peer.read(HTTP2Peer.rstStream)
            #expect(frame.stream == stream)
            #expect(frame.payload == HTTP2Peer.number(8))
            try await peer.serve()
        } _: { server, transport, url in
            let cancelled = Task { await transport.failure(.get, url) }
            await arrived.wait()
            let waiting = Task { try await transport.text(.get, url) }
            cancelled.cancel()
            #expect(await cancelled.value?.code == .cancelled)
            let text = try await waiting.value
            #expect(text == "ok")
            #expect(server.connectionCount == 1)
        }
    }
}
