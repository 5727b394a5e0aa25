import HTTPTypes
import HttpConversation

extension CaseList {
    private static let rest = "\r\nContent-Length: 2\r\n\r\nok"

    static let heads: [ConformanceCase] = [
        refused(.heads, "Garbage", "220 smtp.example ESMTP\r\n"),
        refused(.heads, "Binary", "\u{1}\u{2}\u{3}\u{4}"),
        refused(.heads, "HTML alone", "<html>no head</html>\r\n\r\n"),
        refused(.heads, "HTTP/3.0", "HTTP/3.0 200 OK\r\n\r\n"),
        refused(.heads, "HTTP/2.0 as text", "HTTP/2.0 200 OK\(rest)"),
        refused(.heads, "A version without a dot", "HTTP/1 200 OK\(rest)"),
        refused(.heads, "A version in lower case", "http/1.1 200 OK\(rest)"),
        refused(.heads, "A status that is none", "HTTP/1.1 2x0 OK\(rest)"),
        refused(.heads, "A status of two digits", "HTTP/1.1 20 OK\(rest)"),
        refused(.heads, "A status of four digits", "HTTP/1.1 2000 OK\(rest)"),
        refused(.heads, "No status", "HTTP/1.1 OK\(rest)"),
        refused(.heads, "A space in a name", "HTTP/1.1 200 OK\r\nBad Name: x\(rest)"),
        refused(.heads, "A space before the colon", "HTTP/1.1 200 OK\r\nName : x\(rest)"),
        refused(.heads, "No name", "HTTP/1.1 200 OK\r\n: x\(rest)"),
        refused(.heads, "No colon", "HTTP/1.1 200 OK\r\nName\(rest)"),
        refused(.heads, "A slash in a name", "HTTP/1.1 200 OK\r\nA/B: x\(rest)"),
        refused(.heads, "NUL in a value", "HTTP/1.1 200 OK\r\nA: b\u{0}c\(rest)"),
        refused(.heads, "A control character in a value", "HTTP/1.1 200 OK\r\nA: b\u{1}c\(rest)"),
        refused(.heads, "CR alone in a value", "HTTP/1.1 200 OK\r\nA: b\rc\(rest)"),
        refused(.heads, "A request", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        cut(.heads, "Nothing", "", .emptyResponse),
        cut(.heads, "A cut head", "HTTP/1.1 200 OK\r\nContent-Le", .receiveFailed),
        cut(.heads, "A head without its empty line", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", .receiveFailed),
        cut(.heads, "A cut status line", "HTTP/1.", .receiveFailed),
        accepted(.heads, "No reason", "HTTP/1.1 200\(rest)"),
        accepted(.heads, "An empty reason", "HTTP/1.1 200 \(rest)"),
        accepted(.heads, "A reason with spaces and Latin-1", "HTTP/1.1 200 Tr\u{e8}s  bien\(rest)"),
        accepted(.heads, "Latin-1 in a value", "HTTP/1.1 200 OK\r\nX-Text: caf\u{e9}\(rest)"),
        accepted(.heads, "No space after the colon", "HTTP/1.1 200 OK\r\nX:y\r\nContent-Length:2\r\n\r\nok"),
        accepted(
            .heads, "Spaces and tabs around a value", "HTTP/1.1 200 OK\r\nX: \t y \t\r\nContent-Length: \t2 \r\n\r\nok"),
        accepted(.heads, "An empty value", "HTTP/1.1 200 OK\r\nX:\(rest)"),
        accepted(.heads, "Names in any case", "HTTP/1.1 200 OK\r\ncONTENT-lENGTH: 2\r\n\r\nok"),
        accepted(
            .heads, "A hundred fields",
            "HTTP/1.1 200 OK\r\n\(String(repeating: "A: b\r\n", count: 100))Content-Length: 2\r\n\r\nok",
            inPieces: false),
        ConformanceCase(.heads, "values", "values arrive without the space around them", on: [.http1]) { run in
            try await run.raw(answeringOnce("HTTP/1.1 200 OK\r\nETag: \t \"a b\" \t \r\nVary:x\(rest)")) { client in
                let fields = try await client.expect("ok").head.headerFields
                try expect(fields[.eTag], is: "\"a b\"", "ETag")
                try expect(fields[.vary], is: "x", "Vary")
            }
        },
        ConformanceCase(.heads, "message-says-where", "an error says which server it was", on: [.http1]) { run in
            try await run.raw(answeringOnce("garbage\r\n\r\n")) { client in
                let error = try await client.expectFailure(.malformedResponse)
                try expect(
                    error.message.contains(try "127.0.0.1:\(client.server.port)"), "host and port in the message",
                    error.message)
            }
        },
    ]
}
