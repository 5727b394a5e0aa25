import HTTPTypes
import HttpConversation

extension CaseList {
    static let bodyless: [ConformanceCase] = [
        accepted(.bodyless, "204", "HTTP/1.1 204 No Content\r\n\r\n", text: ""),
        accepted(.bodyless, "204 with a coding", "HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n", text: ""),
        accepted(.bodyless, "304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n", text: ""),
        accepted(
            .bodyless, "304 with a coding",
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\nContent-Encoding: gzip\r\n\r\n", text: ""),
        accepted(
            .bodyless, "304 that is chunked", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
            text: ""),
        accepted(
            .bodyless, "Nothing with a coding",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Encoding: gzip\r\n\r\n", text: ""),
        accepted(
            .bodyless, "HEAD with a length", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", text: "", to: .head),
        accepted(
            .bodyless, "HEAD that is chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", text: "",
            to: .head),
        accepted(
            .bodyless, "HEAD with a coding", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Encoding: gzip\r\n\r\n",
            text: "", to: .head),
        accepted(
            .bodyless, "HEAD of an error", "HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\n", text: "", to: .head),
        ConformanceCase(.bodyless, "head", "HEAD brings the fields, and no body", on: everywhere) { run in
            try await run.serve { exchange in
                ConformanceReply(
                    .ok, [.eTag: "\"1\""], exchange.method == "HEAD" && run.wire == .inProcess ? "" : "hello")
            } _: { client in
                let response = try await client.expect("", .head)
                try expect(response.head.headerFields[.eTag], is: "\"1\"", "ETag")
                if run.wire != .inProcess {
                    try expect(response.head.headerFields[.contentLength], is: "5", "Content-Length")
                    try await client.expect("hello")
                }
            }
        },
        ConformanceCase(.bodyless, "no-content", "204 has no body", on: everywhere) { run in
            try await run.serve { _ in
                ConformanceReply(.noContent)
            } _: { client in
                for _ in 0..<2 { try await client.expect("", status: .noContent, .delete) }
            }
        },
    ]
}
