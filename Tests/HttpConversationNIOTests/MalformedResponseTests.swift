import HTTPTypes
import HttpConversation
import HttpConversationNIO
import Testing

@Suite(.timeLimit(.minutes(1))) struct MalformedResponseTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let answer: String
        let code: ConversationError.Code
        var testDescription: String { name }

        init(_ name: String, _ answer: String, _ code: ConversationError.Code = .malformedResponse) {
            self.name = name
            self.answer = answer
            self.code = code
        }
    }

    static let cases = [
        Case("garbage", "220 smtp.example ESMTP\r\n"),
        Case("binary", "\u{1}\u{2}\u{3}\u{4}"),
        Case("another version", "HTTP/3.0 200 OK\r\n\r\n"),
        Case("conflicting lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc"),
        Case("list of lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nabc"),
        Case("negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc"),
        Case("huge length", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabc"),
        Case(
            "length and coding",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Case(
            "coding and length",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
        Case("unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        Case("bad chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
        Case("unasked 101", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
        Case("flood of 1xx", String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 100)),
        Case("space in a name", "HTTP/1.1 200 OK\r\nBad Name: x\r\nContent-Length: 0\r\n\r\n"),
        Case("NUL in a value", "HTTP/1.1 200 OK\r\nA: b\u{0}c\r\nContent-Length: 0\r\n\r\n"),
        Case("large header field", "HTTP/1.1 200 OK\r\nA: \(String(repeating: "a", count: 70_000))\r\n\r\n", .tooLarge),
        Case(
            "many header fields",
            "HTTP/1.1 200 OK\r\n\(String(repeating: "A: b\r\n", count: 2000))\r\n", .tooLarge),
        Case("endless reason", "HTTP/1.1 200 \(String(repeating: "a", count: 100_000))", .tooLarge),
        Case("cut head", "HTTP/1.1 200 OK\r\nContent-Le", .receiveFailed),
        Case("nothing", "", .emptyResponse),
        Case("cut body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", .bodyCut),
        Case("cut chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", .bodyCut),
        Case("no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", .bodyCut),
    ]

    @Test(arguments: cases) func isRefusedAndItsConnectionClosed(_ test: Case) async throws {
        let transport = NIOTransport.make { $0.maximumHeadBytes = 64 << 10 }
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write(test.answer)
            if [.emptyResponse, .bodyCut, .receiveFailed].contains(test.code) { return }
            try await connection.untilClosed()
        } _: { server in
            let error = await transport.failure(.get, server.url)
            #expect(error?.code == test.code, "\(String(describing: error))")
            #expect(error?.message.contains(test.code == .tooLarge ? "limit" : "127.0.0.1:\(server.port)") == true)
            await server.wait { $0.closedCount == 1 }
        }
    }

    @Test func resetInTheBody() async throws {
        let received = Gate()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            await received.wait()
            try await connection.reset()
        } _: { server in
            let response = try await NIOTransport.make().send(.get, server.url)
            let chunk = try await response.body.next()
            #expect(chunk == Array("abc".utf8))
            received.open()
            await #expect(throws: ConversationError.self) { try await response.body.next() }
            do throws(ConversationError) { _ = try await response.body.next() } catch {
                #expect(error.code == .receiveFailed)
            }
        }
    }

    /// What must pass although it looks odd.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nX-Text: caf\u{e9}\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;ext=1\r\no\r\n1\r\nk\r\n0\r\nTrailer: x\r\n\r\n",
    ]) func oddButValid(answer: String) async throws {
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            // The first one as Latin-1: bytes that are no UTF-8.
            try await connection.write(answer.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        } _: { server in
            let text = try await NIOTransport.make().text(.get, server.url)
            #expect(text == "ok")
        }
    }

    @Test(arguments: [
        "HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\nContent-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Encoding: gzip\r\n\r\n",
    ]) func noBody(answer: String) async throws {
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            while true {
                _ = try await connection.readHead()
                try await connection.write(answer)
            }
        } _: { server in
            for _ in 0..<2 {
                let text = try await transport.text(.get, server.url)
                #expect(text == "")
            }
            #expect(server.connectionCount == 1)
        }
    }
}
