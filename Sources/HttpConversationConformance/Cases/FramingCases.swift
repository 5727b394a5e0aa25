import HTTPTypes
import HttpConversation

extension CaseList {
    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    static let framing: [ConformanceCase] =
        [
            ("Conflicting lengths", "Content-Length: 2\r\nContent-Length: 3"),
            ("A list of lengths", "Content-Length: 2, 3"),
            ("A length and another spelling of it", "Content-Length: 5\r\nContent-Length: 05"),
            ("Three lengths, the last differs", "Content-Length: 5\r\nContent-Length: 5\r\nContent-Length: 6"),
            ("A length and nothing", "Content-Length: 5,"),
            ("A length of commas", "Content-Length: ,"),
            ("An empty length", "Content-Length:"),
            ("A folded length", "Content-Length: 5\r\nContent-Length: 5\r\n 6"),
            ("A length with a space before its colon", "Content-Length: 5\r\nContent-Length : 5"),
            ("A length below zero", "Content-Length: -1"),
            ("A length with a plus", "Content-Length: +5"),
            ("A length in hexadecimal", "Content-Length: 0x5"),
            ("A length with a space inside", "Content-Length: 5 5"),
            ("A huge length", "Content-Length: 99999999999999999999999"),
            ("A length, then a coding", "Content-Length: 5\r\nTransfer-Encoding: chunked"),
            ("A coding, then a length", "Transfer-Encoding: chunked\r\nContent-Length: 5"),
            ("A coding amid lengths", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\nContent-Length: 5"),
            ("An unknown coding", "Transfer-Encoding: gzip, chunked"),
            ("Chunked and more", "Transfer-Encoding: chunked, gzip"),
            ("Chunked twice", "Transfer-Encoding: chunked, chunked"),
            ("Chunked in two fields", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
            ("Nearly chunked", "Transfer-Encoding: xchunked"),
        ].map { title, fields in refused(.framing, title, "\(ok)\(fields)\r\n\r\nhello6", inPieces: true) }
        + [
            ("A chunk size that is none", "xyz\r\n"), ("An empty chunk size", "\r\nok\r\n0\r\n\r\n"),
            ("A chunk size below zero", "-2\r\nok\r\n0\r\n\r\n"), ("A chunk size with a plus", "+2\r\nok\r\n0\r\n\r\n"),
            ("A chunk size with 0x", "0x2\r\nok\r\n0\r\n\r\n"),
            ("A chunk size that overflows", "FFFFFFFFFFFFFFFFF\r\nok"),
            ("A chunk that is longer than its size", "2\r\nokay\r\n0\r\n\r\n"),
            ("A chunk without its line end", "2\r\nok0\r\n\r\n"),
        ].map { title, body in refused(.framing, title, chunked + body, inPieces: true) }
        + [
            cut(.framing, "A cut body", "\(ok)Content-Length: 10\r\n\r\nabc", .bodyCut),
            cut(.framing, "A body that never begins", "\(ok)Content-Length: 10\r\n\r\n", .bodyCut),
            cut(.framing, "A cut chunk", "\(chunked)5\r\nab", .bodyCut),
            cut(.framing, "A cut chunk size", "\(chunked)5", .bodyCut),
            cut(.framing, "No last chunk", "\(chunked)2\r\nab\r\n", .bodyCut),
            cut(.framing, "No end of the trailers", "\(chunked)2\r\nab\r\n0\r\nX: y\r\n", .bodyCut),
            accepted(.framing, "A body to the end", "\(ok)\r\nok", closes: true),
            accepted(.framing, "The same length twice", "\(ok)Content-Length: 2\r\nContent-Length: 2\r\n\r\nok"),
            accepted(.framing, "A list of the same length", "\(ok)Content-Length: 2, 2\r\n\r\nok"),
            accepted(
                .framing, "The same length in all ways",
                "\(ok)Content-Length: 2,2 , 2\r\nX: y\r\ncontent-length:2 \r\nContent-Lengthy: 9\r\nCONTENT-LENGTH:\t2\r\n\r\nok"
            ),
            accepted(.framing, "Chunks", "\(chunked)1\r\no\r\n1\r\nk\r\n0\r\n\r\n"),
            accepted(.framing, "Chunk extensions", "\(chunked)1;ext=1\r\no\r\n1;a;b=\"c d\"\r\nk\r\n0;end\r\n\r\n"),
            accepted(.framing, "Trailers", "\(chunked)2\r\nok\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n"),
            accepted(
                .framing, "Chunk sizes in both cases", "\(chunked)00A\r\n0123456789\r\na\r\nabcdefghij\r\n0\r\n\r\n",
                text: "0123456789abcdefghij"),
            accepted(.framing, "Chunked in capitals", "\(ok)Transfer-Encoding: CHUNKED\r\n\r\n2\r\nok\r\n000\r\n\r\n"),
            accepted(.framing, "No byte of a body", "\(ok)Content-Length: 0\r\n\r\n", text: ""),
            accepted(.framing, "No chunk but the last", "\(chunked)0\r\n\r\n", text: ""),
            ConformanceCase(
                .framing, "trailers-are-no-fields", "trailers do not come among the fields of the head", on: [.http1]
            ) { run in
                try await run.raw(answering(latin1("\(chunked)2\r\nok\r\n0\r\nSet-Cookie: a=b\r\n\r\n"))) { client in
                    let response = try await client.expect("ok")
                    try expect(response.head.headerFields[.setCookie], is: nil, "Set-Cookie of a trailer")
                }
            },
            ConformanceCase(.framing, "reset-in-the-body", "a reset connection does not end a body", on: [.http1]) {
                run in
                for head in ["Content-Length: 10\r\n", ""] {
                    let received = Gate()
                    try await run.raw { connection in
                        _ = try await connection.readHead()
                        try await connection.write("\(ok)\(head)\r\nabc")
                        await received.wait()
                        try await connection.reset()
                    } _: { client in
                        let body = try await client.send().body
                        try expect(try await body.next(), is: Array("abc".utf8), "the first chunk")
                        received.open()
                        for _ in 0..<2 {
                            do throws(ConversationError) {
                                _ = try await body.next()
                                throw ConversationError(.internalInconsistency, "It ended as if it were whole.")
                            } catch { try Client.check(error, [.receiveFailed, .bodyCut]) }
                        }
                    }
                }
            },
        ]
}
