import HTTPTypes
import HttpConversation
import HttpConversationNIO
import TestSupport
import Testing

/// Bytes after a complete response (security rule S3).
@Suite(.timeLimit(.minutes(1))) struct SurplusTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let method: HTTPRequest.Method
        let answer: String
        let surplus: String
        let text: String
        var testDescription: String { name }

        init(
            _ name: String, _ answer: String, _ surplus: String, to method: HTTPRequest.Method = .get,
            text: String = "ok"
        ) {
            self.name = name
            self.method = method
            self.answer = answer
            self.surplus = surplus
            self.text = text
        }
    }

    private static let two = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"

    static let cases = [
        Case("more than announced", two, "CANARY"),
        Case("one byte", two, "C"),
        Case("a line", two, "\r\n"),
        Case("a second response", two, "HTTP/1.1 200 CANARY\r\nContent-Length: 0\r\n\r\n"),
        Case("the start of a second response", two, "HTTP/1.1 200 CANARY\r\nX-Canary: "),
        Case("an interim response", two, "HTTP/1.1 103 Early Hints\r\n\r\n"),
        Case("a second response with a conflict", two, "HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n"),
        Case("after the last chunk", chunked, "CANARY"),
        Case(
            "after trailers",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Trailer: x\r\n\r\n", "0\r\n\r\n"),
        Case("after an empty body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "CANARY", text: ""),
        Case("before a close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "CANARY"),
        Case("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n", "CANARY", to: .head, text: ""),
        Case(
            "HEAD, chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "6\r\nCANARY\r\n0\r\n\r\n",
            to: .head, text: ""),
        Case("HEAD to the end", "HTTP/1.1 200 OK\r\n\r\n", "CANARY", to: .head, text: ""),
        Case("204", "HTTP/1.1 204 No Content\r\n\r\n", "CANARY", text: ""),
        Case("304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 6\r\n\r\n", "CANARY", text: ""),
    ]

    /// In one piece with the response, and byte by byte: the response stands, the next one comes on a new connection.
    @Test(arguments: cases, [true, false])
    func theResponseStandsAndItsConnectionIsClosed(test: Case, inOnePiece: Bool) async throws {
        let log = CollectedLog()
        let transport = NIOTransport.make { $0.logger = log.logger }
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            if inOnePiece {
                try await connection.write(test.answer + test.surplus)
            } else {
                for byte in test.answer.utf8.dropLast() { try await connection.write([byte]) }
                try await connection.write(Array(test.answer.utf8.suffix(1)) + Array(test.surplus.utf8))
            }
            try await connection.untilClosed()
        } _: { server in
            for number in 1...2 {
                let response = try await transport.send(test.method, server.url)
                #expect(!response.reusedConnection)
                let body = try await response.body.collect(upTo: 1000)
                #expect(String(decoding: body, as: UTF8.self) == test.text)
                await server.wait { $0.closedCount == number }
            }
            #expect(server.connectionCount == 2)
        }
        #expect(log.entries.count == 2)
        #expect(log.entries.allSatisfy { $0.level == .notice && $0.text.contains("127.0.0.1") })
        #expect(!log.entries.contains { $0.text.lowercased().contains("canary") })
    }

    @Test func bytesOnAnIdleConnectionCloseIt() async throws {
        let log = CollectedLog()
        let transport = NIOTransport.make { $0.logger = log.logger }
        let received = Gate()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.respond("ok")
            await received.wait()
            try await connection.write("CANARY")
            try await connection.untilClosed()
        } _: { server in
            let text = try await transport.text(.get, server.url)
            #expect(text == "ok")
            received.open()
            await server.wait { $0.closedCount == 1 }
            let again = try await transport.text(.get, server.url)
            #expect(again == "ok")
            #expect(server.connectionCount == 2)
        }
        #expect(log.entries.first.map { $0.level == .notice && !$0.text.contains("CANARY") } == true)
    }

    /// Whoever waits for a connection is not given one on which more has come than it should.
    @Test func whoWaitsGetsAnotherConnection() async throws {
        let transport = NIOTransport.make { $0.maximumConnectionsPerOrigin = 1 }
        let arrived = Counter()
        let gate = Gate()
        try await RawServer.run { connection in
            let path = try await connection.readHead().split(separator: " ")[1]
            arrived.add()
            await gate.wait()
            let surplus = connection.index == 0 ? "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil" : ""
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(path.count)\r\n\r\n\(path)\(surplus)")
            try await connection.untilClosed()
        } _: { server in
            async let first = transport.text(.get, "\(server.url)/first")
            await arrived.wait(for: 1)
            async let second = transport.text(.post, "\(server.url)/second")
            while transport.waitingCount(server.url) == 0 { await Task.yield() }
            gate.open()
            let firstText = try await first
            #expect(firstText == "/first")
            let secondText = try await second
            #expect(secondText == "/second")
            #expect(server.connectionCount == 2)
        }
    }

    /// What comes with the end of an ordinary response is no reason for a notice.
    @Test func ordinaryEndsAreSilent() async throws {
        let log = CollectedLog()
        let transport = NIOTransport.make { $0.logger = log.logger }
        try await RawServer.run { connection in
            for _ in 0..<2 {
                _ = try await connection.readHead()
                try await connection.respond("ok")
            }
        } _: { server in
            for _ in 0..<4 {
                let text = try await transport.text(.get, server.url)
                #expect(text == "ok")
            }
            await server.wait { $0.closedCount == 2 }
            #expect(server.connectionCount == 2)
        }
        #expect(log.entries.isEmpty)
    }
}
