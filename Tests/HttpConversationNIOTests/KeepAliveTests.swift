import HTTPTypes
import HttpConversation
import HttpConversationNIO
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct KeepAliveTests {
    @Test func oneConnectionServesManyRequests() async throws {
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            while true {
                let head = try await connection.readHead()
                try await connection.respond(String(head.split(separator: " ")[1]))
            }
        } _: { server in
            for number in 0..<5 {
                let response = try await transport.send(.get, "\(server.url)/\(number)")
                #expect(response.reusedConnection == (number > 0))
                let body = try await response.body.collect(upTo: 100)
                #expect(body == Array("/\(number)".utf8))
            }
            #expect(server.connectionCount == 1)
            await transport.shutdown()
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
    ]) func connectionThatMustCloseIsNotReused(answer: String) async throws {
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write(answer)
            try await connection.untilClosed()
        } _: { server in
            for _ in 0..<2 {
                let text = try await transport.text(.get, server.url)
                #expect(text == "ok")
            }
            #expect(server.connectionCount == 2)
            await server.wait { $0.closedCount == 2 }
        }
    }
}
