import HTTPTypes
import HttpConversation
import HttpConversationConformance
import Testing

@testable import HttpConversationNIO

/// Limits against floods, which must not end what good servers do.
@Suite(.timeLimit(.minutes(1))) struct HTTP2LimitTests {
    /// The content of a stream that was cancelled may be under way, and the codec drops it.
    @Test func contentOfCancelledStreams() async throws {
        let count = 40
        let began = Gate()
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 100)])
            let last = try await peer.readRequest()
            began.open()
            var cancelled: [Int] = []
            while cancelled.count < count {
                let stream = try await peer.readRequest()
                try await peer.write(HTTP2Peer.head(stream, [(":status", "200")]))
                cancelled.append(try await peer.read(HTTP2Peer.rstStream).stream)
            }
            let content = [UInt8](repeating: 1, count: HTTP2Limits.streamWindow / 4)
            for stream in cancelled {
                for _ in 0..<4 { try await peer.write(HTTP2Peer.body(stream, content, ends: false)) }
            }
            try await peer.respond(last)
            try await peer.serve()
        } _: { server, transport, url in
            let last = Task { try await transport.text(.get, url) }
            await began.wait()
            // Dropping a response cancels its stream.
            for _ in 0..<count { _ = try await transport.send(.get, url) }
            let text = try await last.value
            #expect(text == "ok")
            #expect(server.connectionCount == 1)
        }
    }

    /// A server may reset many of our streams.
    @Test func manyResets() async throws {
        let count = 250
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 300)])
            var streams: [Int] = []
            while streams.count < count { streams.append(try await peer.readRequest()) }
            let last = try await peer.readRequest()
            for stream in streams { try await peer.reset(stream, 2) }
            try await peer.respond(last)
            try await peer.serve()
        } _: { server, transport, url in
            let codes = await withTaskGroup(of: ConversationError.Code?.self) { group in
                for _ in 0...count { group.addTask { await transport.failure(.get, url)?.code } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.count { $0 == .http2StreamReset } == count)
            #expect(codes.count { $0 == nil } == 1)
            #expect(server.connectionCount == 1)
        }
    }

    /// The limit that HTTP/1.1 has.
    @Test(arguments: [(1000, nil), (1001, .tooLarge)] as [(Int, ConversationError.Code?)])
    func fieldsOfAHead(count: Int, code: ConversationError.Code?) async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            let stream = try await peer.readRequest()
            let fields = Array(repeating: ("a", "b"), count: count)
            try await peer.write(HTTP2Peer.head(stream, [(":status", "200")] + fields, ends: true))
            try await peer.serve()
        } _: { server, transport, url in
            let error = await transport.failure(.get, url)
            #expect(error?.code == code, "\(String(describing: error))")
            try await transport.expect("ok", .get, url)
            #expect(server.connectionCount == 1)
        }
    }

    /// Empty DATA frames are a flood only if many come in a row.
    @Test(
        arguments: [(1, 30, nil), (10, 3, nil), (11, 1, .http2Failed)] as [(Int, Int, ConversationError.Code?)])
    func emptyFrames(inARow: Int, times: Int, code: ConversationError.Code?) async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            let stream = try await peer.readRequest()
            try await peer.write(HTTP2Peer.head(stream, [(":status", "200")]))
            for _ in 0..<times {
                try await peer.write(HTTP2Peer.body(stream, [1], ends: false))
                for _ in 0..<inARow { try await peer.write(HTTP2Peer.body(stream, [], ends: false)) }
            }
            try await peer.write(HTTP2Peer.body(stream, []))
            try await peer.serve()
        } _: { server, transport, url in
            let error = await transport.failure(.get, url)
            #expect(error?.code == code, "\(String(describing: error))")
            if code != nil { #expect(error?.message.contains("empty DATA") == true) }
        }
    }
}
