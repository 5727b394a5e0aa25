import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationNIO
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct UploadTests {
    struct Broken: Error {}

    private static func stream(_ chunks: [[UInt8]]) -> RequestBodyStream {
        RequestBodyStream(
            AsyncStream { stream in
                for chunk in chunks { stream.yield(chunk) }
                stream.finish()
            })
    }

    /// Reads a body by its Content-Length and answers with its size and the head's lines.
    private static let receiving: RawServer.Script = { connection in
        while true {
            let head = try await connection.readHead().lowercased()
            if head.contains("expect: 100-continue") { try await connection.write("HTTP/1.1 100 Continue\r\n\r\n") }
            if head.contains("transfer-encoding: chunked") {
                let body = try await connection.read(through: "0\r\n\r\n")
                try await connection.respond("chunked \(body)")
            } else {
                let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }?.dropFirst(16)
                let bytes = try await connection.readBytes(length.flatMap { Int($0) } ?? 0)
                try await connection.respond("\(length ?? "none") \(bytes.reduce(0) { $0 &+ Int($1) })")
            }
        }
    }

    @Test func kindsOfBodies() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let large = [UInt8](repeating: 1, count: 3 << 20)
        try Data(large).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = NIOTransport.make()
        try await RawServer.run(script: Self.receiving) { server in
            let bodies: [(RequestBody?, String)] = [
                (nil, "0 0"), (.bytes([]), "0 0"), (.bytes([1, 2]), "2 3"),
                (.bytes(large), "\(large.count) \(large.count)"),
                (.file(file), "\(large.count) \(large.count)"),
                (.stream(length: 4) { Self.stream([[1], [], [2, 3], [4]]) }, "4 10"),
                (.stream { Self.stream([[65], [66, 67]]) }, "chunked 1\r\nA\r\n2\r\nBC\r\n0\r\n\r\n"),
                (.stream(length: 0) { Self.stream([]) }, "0 0"),
                (.oneShot(length: 2, Self.stream([[1, 1]])), "2 2"),
            ]
            for (body, expected) in bodies {
                let text = try await transport.text(.post, server.url, body: body)
                #expect(text == expected)
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: ["bytes", "small", "file", "known", "unknown"])
    func progressReachesTheLength(kind: String) async throws {
        let large = [UInt8](repeating: 1, count: 1 << 20)
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(large).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let pieces = stride(from: 0, to: large.count, by: 1 << 17).map { Array(large[$0..<$0 + (1 << 17)]) }
        let body: RequestBody =
            switch kind {
            case "bytes": .bytes(large)
            case "small": .bytes([1, 2, 3])
            case "file": .file(file)
            case "known": .stream(length: large.count) { Self.stream(pieces) }
            default: .stream { Self.stream(pieces) }
            }
        let length = kind == "small" ? 3 : large.count
        let reports = Mutex<[(sent: Int, total: Int?)]>([])
        try await RawServer.run(script: Self.receiving) { server in
            _ = try await NIOTransport.make().text(
                .post, server.url,
                body: body.onProgress { sent, total in reports.withLock { $0.append((sent, total)) } })
        }
        let seen = reports.withLock { $0 }
        #expect(seen.last?.sent == length)
        #expect(kind == "small" ? seen.count == 1 : seen.count > 2)
        #expect(seen.map(\.sent) == seen.map(\.sent).sorted())
        #expect(seen.allSatisfy { $0.total == (kind == "unknown" ? nil : length) })
    }

    @Test(arguments: [(2, [[1, 2, 3]] as [[UInt8]]), (2, [[1], [2], [3]]), (4, [[1, 2, 3]]), (1, [])])
    func wrongLengthNeverLooksWhole(announced: Int, chunks: [[UInt8]]) async throws {
        let received = Mutex<[UInt8]>([])
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            while let bytes = try await connection.read() { received.withLock { $0 += bytes } }
        } _: { server in
            let error = await NIOTransport.make().failure(
                .post, server.url, body: .stream(length: announced) { Self.stream(chunks) })
            #expect(error?.code == .bodyUnavailable)
            await server.wait { $0.closedCount == 1 }
        }
        #expect(received.withLock(\.count) < announced)
    }

    @Test func failingSource() async throws {
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.untilClosed()
        } _: { server in
            let transport = NIOTransport.make()
            let thrown = await transport.failure(
                .post, server.url, body: .stream(length: 5) { RequestBodyStream { throw Broken() } })
            #expect(thrown?.code == .bodyUnavailable)
            #expect(thrown?.underlyingError is Broken)
            let unopened = await transport.failure(.post, server.url, body: .stream(length: 5) { throw Broken() })
            #expect(unopened?.code == .bodyUnavailable)
            let missing = await transport.failure(
                .post, server.url, body: .file(URL(filePath: "/nonexistent/file.bin")))
            #expect(missing?.code == .bodyUnavailable)
            #expect(missing?.message.contains("file.bin") == true)
            let directory = await transport.failure(.post, server.url, body: .file(URL(filePath: "/tmp")))
            #expect(directory?.code == .bodyUnavailable)
        }
    }

    // MARK: Expect

    @Test func refusedExpectationLeavesTheBodyUntouched() async throws {
        let body = RequestBody.oneShot(length: 3, Self.stream([[1, 2, 3]]))
        try await RawServer.run { connection in
            let head = try await connection.readHead()
            #expect(head.contains("Expect: 100-continue"))
            try await connection.write("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno")
            try await connection.untilClosed()
        } _: { server in
            let response = try await NIOTransport.make().send(.post, server.url, body: body)
            #expect(response.head.status == .unauthorized)
            _ = try await response.body.collect(upTo: 10)
            #expect(body.isReplayable)
            await server.wait { $0.closedCount == 1 }
        }
    }

    @Test func bodyGoesWithoutContinueAfterAWhile() async throws {
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

    @Test func expectationFailedIsRepeatedWithout() async throws {
        try await RawServer.run { connection in
            let head = try await connection.readHead()
            guard !head.contains("Expect") else {
                try await connection.write("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
                return try await connection.untilClosed()
            }
            let bytes = try await connection.readBytes(3)
            try await connection.respond("\(bytes)")
            try await connection.untilClosed()
        } _: { server in
            let text = try await NIOTransport.make().text(
                .post, server.url, body: .oneShot(length: 3, Self.stream([[1, 2, 3]])))
            #expect(text == "[1, 2, 3]")
            #expect(server.connectionCount == 2)
        }
    }

    /// The server reads, and only then wants to know who it is.
    @Test(arguments: [16 << 20, nil]) func aOneShotUploadThroughA401AsksNobody(length: Int?) async throws {
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

    @Test func earlyAnswerStopsTheUpload() async throws {
        let pulled = Counter()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            _ = try await connection.readBytes(1)
            try await connection.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig")
            try await connection.untilClosed()
        } _: { server in
            let transport = NIOTransport.make()
            let body = RequestBody.stream(length: 1 << 40) {
                RequestBodyStream {
                    try Task.checkCancellation()
                    pulled.add()
                    return [UInt8](repeating: 0, count: 1000)
                }
            }
            let response = try await transport.send(.put, server.url, fields: [:], body: body)
            #expect(response.head.status.code == 413)
            let bytes = try await response.body.collect(upTo: 10)
            #expect(bytes == Array("big".utf8))
            await server.wait { $0.closedCount == 1 }
        }
    }

    // MARK: Framing

    @Test func framingFieldsAreTheTransports() async throws {
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
