import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import Testing

/// A repeated `Content-Length` with the same value counts once (RFC 9110 §8.6), split into pieces of any size.
@Suite(.timeLimit(.minutes(1))) struct RepeatedLengthTests {
    private static let heads = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\ncontent-length:5 \r\nCONTENT-LENGTH:\t5\r\nY: z\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5,5 , 5\r\nContent-Length: 5\r\nContent-Lengthy: 9\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
    ]

    @Test(arguments: heads, [Int.max, 1, 7])
    func equalLengthsCountOnce(head: String, pieces: Int) async throws {
        try await RawServer.run { connection in
            while true {
                _ = try await connection.readHead()
                var rest = Array((head + "hello").utf8)[...]
                while !rest.isEmpty {
                    try await connection.write(Array(rest.prefix(pieces)))
                    rest = rest.dropFirst(pieces)
                }
            }
        } _: { server in
            let transport = NIOTransport.make()
            for count in 1...2 {
                let response = try await transport.send(.get, server.url)
                #expect(response.head.headerFields[values: .contentLength] == ["5"])
                #expect(try await response.body.collect(upTo: 100) == Array("hello".utf8))
                #expect(response.reusedConnection == (count == 2))
            }
            #expect(server.connectionCount == 1)
            await transport.shutdown()
        }
    }
}
