import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import Testing

/// Fields that continue in the next lines (obs-fold, RFC 9112 §5.2), split into pieces of any size.
@Suite(.timeLimit(.minutes(1))) struct FoldedFieldTests {
    private static let pieces = [Int.max, 1, 2, 3, 7]
    private static let read = [
        ("X-Long: a\r\n b\r\n\tc\r\nContent-Length: 5\r\n", "a b c"),
        ("Content-Length: 5\r\nX-Long:\r\n \r\n a\r\n", "a"),
        ("X-Long: a \r\n \t b\r\ncontent-length: 5\r\nContent-Length: 5\r\n", "a b"),
        ("Content-Length: 5\r\nX-Long: a\r\n Content-Length: 7\r\n", "a Content-Length: 7"),
        (
            "X-Long: \(String(repeating: "a", count: 300))\r\n b\r\nContent-Length: 5\r\n",
            String(repeating: "a", count: 300) + " b"
        ),
        ("Content-Locations: 1\r\n 2\r\nX-Long: a\r\nContent-Length: 5\r\n", "a"),
    ]

    @Test(arguments: read, pieces) func foldedFieldsBecomeOneLine(head: (String, String), pieces: Int) async throws {
        let starts = ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n b\r\n\r\nHTTP/1.1 200 OK\r\n"]
        for start in starts {
            try await answering(start + head.0 + "\r\nhello", pieces) { transport, url in
                for count in 1...2 {
                    let response = try await transport.send(.get, url)
                    let value = response.head.headerFields[try #require(.init("X-Long"))] ?? ""
                    #expect(value.split { $0 == " " || $0 == "\t" }.joined(separator: " ") == head.1)
                    #expect(response.head.headerFields[.contentLength] == "5")
                    #expect(try await response.body.collect(upTo: 100) == Array("hello".utf8))
                    #expect(response.reusedConnection == (count == 2))
                }
            }
        }
    }

    private static let refused = [
        "Content-Length:\r\n 5\r\n", "Content-Length: 5\r\n 6\r\n", "Content-Length: 5\r\n \r\n",
        "content-length\r\n : 5\r\n", "Transfer-Encoding: chunked\r\n , identity\r\nContent-Length: 5\r\n",
        "Transfer-Encoding:\r\n chunked\r\n", "Transfer-Encoding:\(String(repeating: " ", count: 300))\r\n chunked\r\n",
        // White space before the first field does not continue a field.
        " X: y\r\nContent-Length: 5\r\n", "\tContent-Length: 5\r\n", "X\r\n : y\r\nContent-Length: 5\r\n",
        " \r\nContent-Length: 5\r\n",
    ]

    @Test(arguments: refused, pieces) func framingFieldsAreNotFolded(head: String, pieces: Int) async throws {
        try await answering("HTTP/1.1 200 OK\r\n" + head + "\r\nhello", pieces) { transport, url in
            let error = await transport.failure(.get, url)
            #expect(error?.code == .malformedResponse, "\(String(describing: error))")
        }
    }

    @Test func aFieldWithoutEndIsTooLarge() async throws {
        let folds = String(repeating: "a\r\n ", count: 200_000)
        try await answering("HTTP/1.1 200 OK\r\nX: " + folds, .max) { transport, url in
            #expect(await transport.failure(.get, url)?.code == .tooLarge)
        }
    }

    private func answering(
        _ answer: String, _ pieces: Int, _ body: @Sendable (NIOTransport, String) async throws -> Void
    ) async throws {
        try await RawServer.run { connection in
            while true {
                _ = try await connection.readHead()
                var rest = Array(answer.utf8)[...]
                while !rest.isEmpty {
                    try await connection.write(Array(rest.prefix(pieces)))
                    rest = rest.dropFirst(pieces)
                }
            }
        } _: { server in
            let transport = NIOTransport.make()
            try await body(transport, server.url)
            await transport.shutdown()
        }
    }
}
