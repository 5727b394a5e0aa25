import HTTPTypes
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import TestSupport
import Testing

/// Bytes after a complete response (security rule S3).
@Suite(.timeLimit(.minutes(1))) struct SurplusTests {
    /// The log reports the event without the server's bytes.
    @Test(arguments: ["CANARY", "HTTP/1.1 200 CANARY\r\nContent-Length: 0\r\n\r\n", "\r\n"])
    func theLogReportsSurplusBytes(surplus: String) async throws {
        let log = CollectedLog()
        let transport = NIOTransport.make { $0.logger = log.logger }
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok\(surplus)")
            try await connection.untilClosed()
        } _: { server in
            for number in 1...2 {
                let text = try await transport.text(.get, server.url)
                #expect(text == "ok")
                await server.wait { $0.closedCount == number }
            }
        }
        #expect(log.entries.count == 2)
        #expect(log.entries.allSatisfy { $0.level == .notice && $0.text.contains("127.0.0.1") })
        #expect(!log.entries.contains { $0.text.lowercased().contains("canary") })
    }

    /// A length that is no body's does not hide bytes after the response, whatever the pieces.
    @Test(
        arguments: [
            ("HEAD", "200 OK", "Content-Length: 5"), ("GET", "204 No Content", "Content-Length: 5"),
            ("GET", "304 Not Modified", "Content-Length: 5"),
        ], [Int.max, 1, 44])
    func lengthsWithoutABodyHideNothing(answer: (method: String, status: String, field: String), pieces: Int)
        async throws
    {
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            var rest = Array("HTTP/1.1 \(answer.status)\r\n\(answer.field)\r\n\r\nHTTP/".utf8)[...]
            while !rest.isEmpty {
                // The client closes at the first surplus byte.
                try? await connection.write(Array(rest.prefix(pieces)))
                rest = rest.dropFirst(pieces)
            }
            try await connection.untilClosed()
        } _: { server in
            for number in 1...2 {
                let text = try await transport.text(try #require(.init(answer.method)), server.url)
                #expect(text.isEmpty)
                await server.wait { $0.closedCount == number }
            }
            #expect(server.connectionCount == 2)
        }
        await transport.shutdown()
    }

    /// A body that arrives in pieces, with a byte too many in the last one.
    @Test(arguments: [1, 3, 50]) func surplusAfterABodyInPieces(pieces: Int) async throws {
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n")
            for _ in 0..<(50 / pieces) { try await connection.write(Array(repeating: 0x61, count: pieces)) }
            try await connection.write(Array(repeating: 0x61, count: 50 % pieces) + [0x0D])
            try await connection.untilClosed()
        } _: { server in
            for number in 1...2 {
                let text = try await transport.text(.get, server.url)
                #expect(text.count == 50)
                await server.wait { $0.closedCount == number }
            }
        }
        await transport.shutdown()
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

    /// A connection with surplus bytes is not given to a waiting exchange. A channel reads four times, into memory that
    /// grows: what comes behind 30,720 bytes waits for the next time.
    @Test(arguments: [6, 30_720 - "HTTP/1.1 200 OK\r\nContent-Length: 30678\r\n\r\n".utf8.count])
    func aWaiterGetsAnotherConnection(length: Int) async throws {
        let transport = NIOTransport.make { $0.maximumConnectionsPerOrigin = 1 }
        let arrived = Counter()
        let gate = Gate()
        try await RawServer.run { connection in
            let path = try await connection.readHead().split(separator: " ")[1]
            arrived.add()
            await gate.wait()
            let surplus = connection.index == 0 ? "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil" : ""
            let body = path + String(repeating: "x", count: length - path.count)
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n\(body)\(surplus)")
            try await connection.untilClosed()
        } _: { server in
            async let first = transport.text(.get, "\(server.url)/1")
            await arrived.wait(for: 1)
            async let second = transport.text(.post, "\(server.url)/2")
            while transport.waitingCount(server.url) == 0 { try await Task.sleep(for: .milliseconds(1)) }
            gate.open()
            let firstText = try await first
            #expect(firstText.count == length && firstText.hasPrefix("/1x"))
            let secondText = try await second
            #expect(secondText.count == length && secondText.hasPrefix("/2x"))
            #expect(server.connectionCount == 2)
        }
    }

    /// An answer that comes while the head waits for the end of a source without bytes answers an earlier request, or
    /// nothing.
    @Test(arguments: [true, false]) func anAnswerBeforeTheRequestIsNone(isRestartable: Bool) async throws {
        let transport = NIOTransport.make()
        let (opened, gate) = (Gate(), Gate())
        let source = RequestBodyStream {
            opened.open()
            await gate.wait()
            return nil
        }
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.respond("\(connection.index)")
            if connection.index == 0 {
                await opened.wait()
                try await connection.respond("early")
            }
            try await connection.untilClosed()
        } _: { server in
            let first = try await transport.text(.get, server.url)
            #expect(first == "0")
            let body = isRestartable ? RequestBody.stream(length: 0) { source } : .oneShot(length: 0, source)
            async let second = transport.text(.put, server.url, body: body)
            await server.wait { $0.closedCount == 1 }
            gate.open()
            do {
                let text = try await second
                #expect(isRestartable && text == "1")
            } catch let error as ConversationError {
                #expect(!isRestartable && error.code == .malformedResponse, "\(error)")
            }
        }
        await transport.shutdown()
    }

    /// An ordinary end of a response is not logged.
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
