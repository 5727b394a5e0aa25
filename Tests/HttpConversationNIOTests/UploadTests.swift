import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct UploadTests {
    private static func stream(_ chunks: [[UInt8]]) -> RequestBodyStream {
        RequestBodyStream(
            AsyncStream { stream in
                for chunk in chunks { stream.yield(chunk) }
                stream.finish()
            })
    }

    @Test func files() async throws {
        let file = TemporaryPlace.unused("upload")
        let large = [UInt8](repeating: 1, count: 3 << 20)
        try Data(large).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            let head = try await connection.readHead()
            #expect(head.contains("\r\nContent-Length: \(large.count)\r\n"))
            if head.contains("Expect") { try await connection.write("HTTP/1.1 100 Continue\r\n\r\n") }
            #expect(try await connection.readBytes(large.count) == large)
            try await connection.respond("ok")
        } _: { server in
            let text = try await transport.text(.post, server.url, body: .file(file))
            #expect(text == "ok")
            for (path, name) in [("/nonexistent/file.bin", "file.bin"), ("/tmp", "tmp")] {
                let error = await transport.failure(.post, server.url, body: .file(URL(filePath: path)))
                #expect(error?.code == .bodyUnavailable)
                #expect(error?.message.contains(name) == true)
            }
        }
    }

    /// The conversation leaves the body to the server that reads it, whether the transport has begun with it or not.
    @Test(arguments: ["HTTP/1.1 100 Continue\r\n\r\n", ""]) func anAnswerBeforeTheBody(interim: String) async throws {
        let pieces = (0..<10).map { [UInt8](repeating: $0, count: 1000) }
        try await RawServer.run { connection in
            while true {
                _ = try await connection.readHead()
                try await connection.write("\(interim)HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ngot ")
                try await connection.write("\(try await connection.readBytes(10_000).count)")
            }
        } _: { server in
            let manager = HttpConversationManager(transport: NIOTransport.make())
            for _ in 0..<20 {
                let body = RequestBody.oneShot(length: 10_000, Self.stream(pieces))
                let response = try await manager.post(server.url, body)
                #expect(response.text == "got 10000")
            }
            #expect(server.connectionCount == 1)
        }
    }

    /// The server answers 200 at the head, and reads the body afterwards: all of it comes, and the connection is kept.
    @Test(arguments: [8 << 20, nil]) func aWholeAnswerBeforeTheBody(length: Int?) async throws {
        let total = 8 << 20
        let got = Log()
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            while true {
                _ = try await connection.readHead()
                try await connection.respond("ok")
                if length != nil {
                    _ = try await connection.readBytes(total)
                } else {
                    while let size = Int(try await connection.readLine(), radix: 16), size > 0 {
                        _ = try await connection.readBytes(size)
                        _ = try await connection.readLine()
                    }
                    _ = try await connection.readLine()
                }
                got.append("whole")
            }
        } _: { server in
            for round in 1...2 {
                let pulled = Counter()
                let body = RequestBody.stream(length: length) {
                    RequestBodyStream { pulled.add() <= total >> 16 ? [UInt8](repeating: 7, count: 1 << 16) : nil }
                }
                let text = try await transport.text(.post, server.url, body: body)
                #expect(text == "ok")
                while got.values.count < round { await Task.yield() }
            }
            #expect(server.connectionCount == 1)
        }
    }

    /// The end of a body without a length tells it, also if the body is empty.
    @Test(arguments: [0, 3]) func theEndOfAStreamIsReported(count: Int) async throws {
        let reports = Log()
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            while let size = Int(try await connection.readLine(), radix: 16), size > 0 {
                _ = try await connection.readBytes(size)
                _ = try await connection.readLine()
            }
            _ = try await connection.readLine()
            try await connection.respond("ok")
            try await connection.untilClosed()
        } _: { server in
            let pieces = Array(repeating: [UInt8](repeating: 7, count: 1000), count: count)
            let body = RequestBody.stream { Self.stream(pieces) }
                .onProgress { sent, total in reports.append("\(sent) of \(total.map { "\($0)" } ?? "?")") }
            let text = try await transport.text(.post, server.url, body: body)
            #expect(text == "ok")
        }
        #expect(reports.values.last == "\(count * 1000) of \(count * 1000)")
        #expect(reports.values.dropLast().allSatisfy { $0.hasSuffix(" of ?") })
        #expect(reports.values.count > 1 || count == 0)
    }

    // MARK: Expect

    @Test func theBodyIsSentIfContinueDoesNotCome() async throws {
        let transport = NIOTransport.make { $0.continueTimeout = .milliseconds(20) }
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            let bytes = try await connection.readBytes(3)
            try await connection.respond("\(bytes)")
            try await connection.untilClosed()
        } _: { server in
            let text = try await transport.text(
                .post, server.url, body: .oneShot(length: 3, Self.stream([[1, 2, 3]])))
            #expect(text == "[1, 2, 3]")
        }
    }

    /// The server reads the body, and only then demands a login.
    @Test(arguments: [16 << 20, nil]) func aOneShotUploadFailsAtA401WithoutAQuestion(length: Int?) async throws {
        struct Asked: ChallengeFilter {
            let count: Counter
            var handles: Set<AuthenticationMethod> { [.basic] }
            func answer(
                _ challenge: AuthenticationChallenge, in context: ConversationContext
            ) async throws -> ChallengeAnswer {
                count.add()
                return .cancel
            }
        }
        let asked = Counter()
        let total = 16 << 20
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            _ = try await connection.readBytes(total)
            try await connection.write(
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"R\"\r\nContent-Length: 2\r\n\r\nno")
            try await connection.untilClosed()
        } _: { server in
            let manager = HttpConversationManager(transport: NIOTransport.make())
            manager.update { $0.add(Asked(count: asked)) }
            let pulled = Counter()
            let stream = RequestBodyStream {
                pulled.add() <= total >> 17 ? [UInt8](repeating: 7, count: 1 << 17) : nil
            }
            let error = await #expect(throws: ConversationError.self) {
                try await manager.upload(
                    for: HTTPRequest(.put, server.url), from: .oneShot(length: length, stream))
            }
            #expect(error?.code == .bodyNotReplayable && error?.challenge?.realm == "R")
            #expect(asked.value == 0 && server.connectionCount == 1)
        }
    }

    // MARK: Framing

    @Test func defaultFieldsCanBeSwitchedOff() async throws {
        try await RawServer.run { connection in
            let head = try await connection.readHead()
            try await connection.respond(head)
        } _: { server in
            let transport = NIOTransport.make {
                $0.sendsAccept = false
                $0.sendsUserAgent = false
            }
            let head = try await transport.text(.get, "\(server.url)/")
            #expect(
                head.split(separator: "\r\n").sorted() == [
                    "Accept-Encoding: gzip, deflate", "GET / HTTP/1.1", "Host: 127.0.0.1:\(server.port)",
                ])
        }
    }

    @Test func theTransportSetsTheFramingFields() async throws {
        let fields: HTTPFields = [
            .init("Host") ?? .accept: "evil.example", .contentLength: "7", .transferEncoding: "chunked",
            .connection: "close",
            .te: "trailers", .upgrade: "websocket", .accept: "text/plain", .userAgent: "mine",
        ]
        try await RawServer.run { connection in
            let head = try await connection.readHead()
            try await connection.respond(head)
        } _: { server in
            let head = try await NIOTransport.make().text(.get, "\(server.url)/a?b", fields: fields)
            #expect(
                head.split(separator: "\r\n").sorted() == [
                    "Accept-Encoding: gzip, deflate", "Accept: text/plain", "GET /a?b HTTP/1.1",
                    "Host: 127.0.0.1:\(server.port)", "User-Agent: mine",
                ])
        }
    }
}
