import HTTPTypes
import HttpConversation

extension CaseList {
    private static let two = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"

    static let surplus: [ConformanceCase] = [
        surplus("More than announced", two, "CANARY"),
        surplus("One byte", two, "C"),
        surplus("A line", two, "\r\n"),
        surplus("A second response", two, "HTTP/1.1 200 CANARY\r\nContent-Length: 0\r\n\r\n"),
        surplus("The start of a second response", two, "HTTP/1.1 200 CANARY\r\nX-Canary: "),
        surplus("An interim response after", two, "HTTP/1.1 103 Early Hints\r\n\r\n"),
        surplus("A second response with a conflict", two, "HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n"),
        surplus("After the last chunk", chunks, "CANARY"),
        surplus(
            "After trailers",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Trailer: x\r\n\r\n", "0\r\n\r\n"),
        surplus("After an empty body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "CANARY", text: ""),
        surplus("Before a close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "CANARY"),
        surplus("HEAD with a body", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n", "CANARY", to: .head, text: ""),
        surplus(
            "HEAD with chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "6\r\nCANARY\r\n0\r\n\r\n",
            to: .head, text: ""),
        surplus("HEAD with a body to the end", "HTTP/1.1 200 OK\r\n\r\n", "CANARY", to: .head, text: ""),
        surplus("204 with a body", "HTTP/1.1 204 No Content\r\n\r\n", "CANARY", text: ""),
        surplus("304 with a body", "HTTP/1.1 304 Not Modified\r\nContent-Length: 6\r\n\r\n", "CANARY", text: ""),
        idle("bytes-while-idle", "CANARY"),
        idle("response-while-idle", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"),
    ]

    /// The response is valid, and the next request goes over a new connection.
    private static func surplus(
        _ title: String, _ answer: String, _ surplus: String, to method: HTTPRequest.Method = .get, text: String = "ok"
    ) -> ConformanceCase {
        ConformanceCase(
            .surplus, slug(title), "\(title): the response stands, its connection is not used again", on: [.http1]
        ) { run in
            for inOnePiece in [true, false] {
                try await run.raw { connection in
                    _ = try await connection.readHead()
                    let early = inOnePiece ? 0 : answer.utf8.count - 1
                    try await connection.write(Array(answer.utf8.prefix(early)), inPieces: 1)
                    try await connection.write(Array(answer.utf8.dropFirst(early)) + Array(surplus.utf8))
                    try await connection.untilClosed()
                } _: { client in
                    for number in 1...2 {
                        let response = try await client.send(method)
                        try expect(response.reusedConnection, is: false, "reusedConnection")
                        let bytes = try await response.body.collect(upTo: 1000)
                        try expect(String(decoding: bytes, as: UTF8.self), is: text, "the body")
                        try await client.expectClosed(number)
                    }
                    try client.expectConnections(2)
                }
            }
        }
    }

    private static func idle(_ name: String, _ bytes: String) -> ConformanceCase {
        ConformanceCase(.surplus, name, "Bytes on an idle connection close it", on: [.http1]) { run in
            let received = Gate()
            try await run.raw { connection in
                _ = try await connection.readHead()
                try await connection.respond("ok")
                guard connection.index == 0 else { return try await connection.untilClosed() }
                await received.wait()
                try await connection.write(bytes)
                try await connection.untilClosed()
            } _: { client in
                try await client.expect("ok")
                received.open()
                try await client.expectClosed(1)
                try await client.expect("ok")
                try client.expectConnections(2)
            }
        }
    }
}
