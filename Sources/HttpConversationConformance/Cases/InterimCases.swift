import HTTPTypes
import HttpConversation

extension CaseList {
    static let interim: [ConformanceCase] =
        [
            ("103 before the response", "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"),
            ("100 that nobody asked for", "HTTP/1.1 100 Continue\r\n\r\n"), ("102", "HTTP/1.1 102 Processing\r\n\r\n"),
            ("An unknown interim status", "HTTP/1.1 199 Whatever\r\n\r\n"),
            (
                "Several interim responses",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"
            ),
            ("A length in an interim response", "HTTP/1.1 103 Early Hints\r\nX-Content-Length: 9\r\n\r\n"),
        ].map { title, head in
            accepted(.interim, title, head + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        } + [
            refused(
                .interim, "101 that nobody asked for",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
            refused(
                .interim, "A flood of interim responses",
                String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 1000)),
            cut(
                .interim, "Nothing after an interim response", "HTTP/1.1 103 Early Hints\r\n\r\n", .emptyResponse,
                .receiveFailed),
            ConformanceCase(
                .interim, "fields-of-their-own", "fields of interim responses are not the response's", on: network
            ) { run in
                try await run.serve { exchange in
                    try await exchange.interim(103, fields(("Set-Cookie", "evil=1"), ("X-Hint", "a")))
                    try await exchange.interim(103, fields(("Set-Cookie", "evil=2")))
                    return ConformanceReply(.ok, [.setCookie: "a=b"], "ok")
                } _: { client in
                    let fields = try await client.expect("ok").head.headerFields
                    try expect(fields[values: .setCookie], is: ["a=b"], "Set-Cookie")
                    try expect(
                        fields.contains { $0.name.canonicalName == "x-hint" }, is: false, "a hint among the fields")
                }
            },
            ConformanceCase(
                .interim, "before-an-upload-ends", "an interim response does not stop an upload", on: network
            ) { run in
                try await run.serve { exchange in
                    try await exchange.interim(102, [:])
                    return ConformanceReply(.ok, [:], "\(try await exchange.body().count)")
                } _: { client in
                    try await client.expect("300000", .post, body: .bytes([UInt8](repeating: 1, count: 300_000)))
                }
            },
        ]
}
