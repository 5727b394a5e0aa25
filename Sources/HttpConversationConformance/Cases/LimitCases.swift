import HTTPTypes
import HttpConversation

extension CaseList {
    static let limits: [ConformanceCase] = [
        refused(
            .limits, "A large field", "HTTP/1.1 200 OK\r\nA: \(String(repeating: "a", count: 2 << 20))\r\n\r\n",
            .tooLarge),
        refused(
            .limits, "A long name", "HTTP/1.1 200 OK\r\n\(String(repeating: "a", count: 2 << 20)): b\r\n\r\n", .tooLarge
        ),
        refused(
            .limits, "Many fields", "HTTP/1.1 200 OK\r\n\(String(repeating: "A: b\r\n", count: 200_000))\r\n", .tooLarge
        ),
        refused(.limits, "A long reason", "HTTP/1.1 200 \(String(repeating: "a", count: 2 << 20))", .tooLarge),
        refused(
            .limits, "A large interim response",
            "HTTP/1.1 103 Hints\r\nA: \(String(repeating: "a", count: 2 << 20))\r\n\r\n", .tooLarge),
        refused(
            .limits, "Large trailers",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nA: \(String(repeating: "a", count: 2 << 20))\r\n\r\n",
            .tooLarge),
        refused(
            .limits, "Many trailers",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\(String(repeating: "A: b\r\n", count: 200_000))\r\n",
            .tooLarge),
        ConformanceCase(
            .limits, "a-large-chunk-extension", "a large chunk extension is ignored or refused", on: [.http1]
        ) { run in
            let text = String(repeating: "a", count: 2 << 20)
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            try await run.raw(answering(latin1("\(head)2;\(text)\r\nok\r\n0\r\n\r\n"))) { client in
                if let error = await client.failure() {
                    try Client.check(error, [.tooLarge, .malformedResponse])
                } else {
                    try await client.expect("ok")
                }
            }
        },
        ConformanceCase(.limits, "endless-head", "a head that never ends is given up", on: [.http1]) { run in
            try await run.raw { connection in
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 200 OK\r\n")
                let field = "X: \(String(repeating: "y", count: 1000))\r\n"
                while true { try await connection.write(field) }
            } _: { client in
                try await client.expectFailure(.tooLarge)
                try await client.expectClosed(1)
            }
        },
    ]
}
