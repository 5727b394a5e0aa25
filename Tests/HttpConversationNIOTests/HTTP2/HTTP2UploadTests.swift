import HTTPTypes
import HttpConversation
import HttpConversationConformance
import Testing

@testable import HttpConversationNIO

/// Request bodies whose server reads slowly, or answers them with window updates.
@Suite(.serialized, .timeLimit(.minutes(1))) struct HTTP2UploadTests {
    /// Small, so that few bytes wait there that the client takes for read.
    private static let receiveBuffer = 64 << 10

    private static func update(_ stream: Int, _ by: Int) -> [UInt8] {
        HTTP2Peer.frame(HTTP2Peer.windowUpdate, stream: stream, HTTP2Peer.number(by))
    }

    /// Begins a connection whose windows never end, so that the server sends nothing while it reads bodies.
    private static func acceptWithLargeWindows(_ connection: ServerConnection) async throws -> HTTP2Peer {
        let largest = 0x7FFF_FFFF
        let peer = try await HTTP2Peer.accept(connection, settings: [(3, 100), (4, largest)])
        try await peer.write(update(0, largest - 65_535))
        return peer
    }

    /// Reads bodies frame by frame, a number of them each after a pause, and answers each at its end. The last ones
    /// come without a pause: they wait in the buffers of this side, where the client cannot see them leave.
    private static func readSlowly(_ peer: HTTP2Peer, _ count: Int, pause: Duration) async throws {
        var pauses = count
        while true {
            let frame = try await peer.read()
            guard frame.type == HTTP2Peer.data else { continue }
            if frame.endsStream { try await peer.respond(frame.stream) }
            guard pauses > 0 else { continue }
            pauses -= 1
            try await Task.sleep(for: pause)
        }
    }

    /// A ping waits behind the bytes of the body, which take three seconds.
    @Test func aSlowServerIsNotDead() async throws {
        try await HTTP2Server.run(receiveBuffer: Self.receiveBuffer) {
            $0.http2.livenessInterval = .milliseconds(200)
            $0.http2.livenessTimeout = .seconds(2)
        } script: { connection in
            let peer = try await Self.acceptWithLargeWindows(connection)
            try await Self.readSlowly(peer, 150, pause: .milliseconds(20))
        } _: { server, transport, url in
            let body = [UInt8](repeating: 1, count: 3 << 20)
            try await transport.expect("ok", .post, url, body: .bytes(body))
            #expect(server.connectionCount == 1)
        }
    }

    /// All bodies together take three seconds, and the server takes some bytes all the time.
    @Test func uploadsSideBySideAreNotIdle() async throws {
        try await HTTP2Server.run(receiveBuffer: Self.receiveBuffer) { connection in
            let peer = try await Self.acceptWithLargeWindows(connection)
            try await Self.readSlowly(peer, 200, pause: .milliseconds(16))
        } _: { server, transport, url in
            let body = [UInt8](repeating: 1, count: 400_000)
            let errors = await withTaskGroup(of: ConversationError?.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        await transport.failure(.post, url, body: .bytes(body)) { $0.idleTimeout = .seconds(2) }
                    }
                }
                return await group.reduce(into: []) { if let error = $1 { $0.append(error) } }
            }
            #expect(errors.isEmpty, "\(errors)")
            #expect(server.connectionCount == 1)
        }
    }

    /// The end of a body without a length tells it, also if the body is empty.
    @Test(arguments: [0, 3]) func theEndOfAStreamIsReported(count: Int) async throws {
        let reports = Log()
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 100)])
            while true {
                let frame = try await peer.read(HTTP2Peer.data)
                if frame.endsStream { try await peer.respond(frame.stream) }
            }
        } _: { _, transport, url in
            let body = RequestBody.stream {
                let left = Counter()
                return RequestBodyStream { left.add() <= count ? [UInt8](repeating: 7, count: 1000) : nil }
            }.onProgress { sent, total in reports.append("\(sent) of \(total.map { "\($0)" } ?? "?")") }
            try await transport.expect("ok", .post, url, body: body)
        }
        #expect(reports.values.last == "\(count * 1000) of \(count * 1000)")
    }

    /// Servers return the credit of each body, however small it is.
    @Test func windowUpdatesForSmallBodies() async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 100)])
            while true {
                let frame = try await peer.read(HTTP2Peer.data)
                try await peer.write(Self.update(0, 3) + Self.update(frame.stream, 3))
                try await peer.respond(frame.stream)
            }
        } _: { server, transport, url in
            for _ in 0..<600 { try await transport.expect("ok", .post, url, body: .bytes([1, 2, 3])) }
            #expect(server.connectionCount == 1)
        }
    }
}
