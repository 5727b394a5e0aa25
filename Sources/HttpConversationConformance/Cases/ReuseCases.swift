import HTTPTypes
import HttpConversation

extension CaseList {
    static let reuse: [ConformanceCase] =
        [
            ConformanceCase(.reuse, "one-connection", "one connection serves one request after the other", on: network)
            { run in
                try await run.serve {
                    ConformanceReply(.ok, [:], $0.path)
                } _: { client in
                    for number in 0..<5 {
                        let response = try await client.expect("/\(number)", .get, "/\(number)")
                        if number == 0 {
                            try expect(response.reusedConnection, is: false, "reusedConnection of the first")
                        }
                    }
                    try client.expectConnections(1)
                }
            },
            ConformanceCase(.reuse, "uploads-too", "also after uploads", on: network) { run in
                try await run.serve {
                    ConformanceReply(.ok, [:], "\(try await $0.body().count)")
                } _: { client in
                    for count in [10, 0, 100_000, 3] {
                        try await client.expect("\(count)", .post, body: .bytes([UInt8](repeating: 1, count: count)))
                    }
                    try client.expectConnections(1)
                }
            },
            notReused(
                "close", "Connection: close", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"),
            notReused(
                "close-in-a-list", "close in a list",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: foo, Close\r\n\r\nok"),
            notReused("http-1-0", "HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            ConformanceCase(
                .reuse, "closed-while-idle", "a connection that its server has closed is not used", on: [.http1]
            ) { run in
                try await run.raw { connection in
                    _ = try await connection.readHead()
                    _ = try await connection.readBytes(1)
                    try await connection.respond("ok")
                    try await connection.closeUntilSeen()
                } _: { client in
                    for count in 1...3 {
                        try await client.expect("ok", .post, body: .bytes([1]))
                        try await client.expectClosed(count)
                    }
                }
            },
            ConformanceCase(
                .reuse, "dropped-body", "the rest of a dropped body is not taken for a response", on: [.http1],
                needs: .streamingResponses
            ) { run in
                try await run.raw { connection in
                    while true {
                        let path = try await connection.readHead().split(separator: " ")[1]
                        guard path == "/long" else { try await connection.respond("short"); continue }
                        try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
                        try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
                    }
                } _: { client in
                    for _ in 0..<3 {
                        _ = try await client.send(.get, "/long")
                        try await client.expect("short", .get, "/short")
                    }
                }
            },
            ConformanceCase(
                .reuse, "post-is-not-repeated", "a POST that a stale connection swallowed is not sent again",
                on: [.http1]
            ) { run in
                try await run.raw(stale) { client in
                    try await client.expect("ok", .post)
                    try await client.expectFailure(.emptyResponse, method: .post)
                    try client.expectConnections(1)
                }
            },
            ConformanceCase(
                .reuse, "begun-is-not-repeated", "a response that has begun is not asked for again", on: [.http1]
            ) { run in
                try await run.raw { connection in
                    _ = try await connection.readHead()
                    try await connection.respond("ok")
                    _ = try await connection.readHead()
                    try await connection.write("HTTP/1.1 200 OK\r\n")
                } _: { client in
                    try await client.expect("ok")
                    try await client.expectFailure(.receiveFailed)
                    try client.expectConnections(1)
                }
            },
            ConformanceCase(
                .reuse, "fresh-is-not-repeated", "on a fresh connection nothing is tried again", on: [.http1]
            ) { run in
                try await run.raw { connection in
                    _ = try await connection.readHead()
                } _: { client in
                    try await client.expectFailure(.emptyResponse)
                    try client.expectConnections(1)
                }
            },
            ConformanceCase(
                .reuse, "one-shot-is-not-repeated", "a one-shot body that was read is not sent again", on: [.http1],
                needs: .streamingRequests
            ) { run in
                try await run.raw { connection in
                    _ = try await connection.readHead()
                    try await connection.respond("ok")
                    _ = try await connection.readHead()
                    try await connection.write("HTTP/1.1 100 Continue\r\n\r\n")
                    _ = try await connection.readBytes(3)
                } _: { client in
                    try await client.expect("ok")
                    let body = RequestBody.oneShot(length: 3, stream([[1, 2, 3]]))
                    try await client.expectFailure(.emptyResponse, .receiveFailed, method: .put, body: body)
                    try client.expectConnections(1)
                }
            },
            ConformanceCase(.reuse, "stream-is-opened-anew", "what is sent again is sent from its start", on: [.http1])
            { run in
                try await run.raw { connection in
                    while true {
                        _ = try await connection.readHead()
                        if connection.index == 0 {
                            _ = try await connection.readBytes(1)
                            try await connection.respond("ok")
                            _ = try await connection.readHead()
                            return
                        }
                        try await connection.respond("\(try await connection.readBytes(3))")
                    }
                } _: { client in
                    try await client.expect("ok", .put, body: .bytes([9]))
                    try await client.expect("[1, 2, 3]", .put, body: .stream(length: 3) { stream([[1, 2, 3]]) })
                    try client.expectConnections(2)
                }
            },
            misdirected(stays: false), misdirected(stays: true),
            timedOut("timeout-answer", "a 408 that ends a kept connection is tried on a fresh one", connections: 2),
            timedOut(
                "timeout-answer-twice", "a 408 on a fresh connection is a response", stays: true, text: "late",
                connections: 2),
            timedOut(
                "timeout-answer-to-post", "a 408 to a POST is a response", .post, text: "late", connections: 1),
        ]
        + [HTTPRequest.Method.get, .head, .put, .delete, .options].map { method in
            ConformanceCase(
                .reuse, "\(method.rawValue.lowercased())-is-repeated",
                "\(method) that a stale connection swallowed is sent again, once", on: [.http1]
            ) { run in
                try await run.raw(stale) { client in
                    for _ in 0..<2 { try await client.expect(method == .head ? "" : "ok", method) }
                    try client.expectConnections(2)
                }
            }
        }

    /// Answers the first request of a connection, reads the second one, and then closes.
    private static let stale: RawServer.Script = { connection in
        let head = try await connection.readHead()
        try await connection.respond(head.hasPrefix("HEAD") ? "" : "ok")
        _ = try await connection.readHead()
    }

    private static func notReused(_ name: String, _ title: String, _ answer: String) -> ConformanceCase {
        ConformanceCase(.reuse, name, "\(title): not used again", on: [.http1]) { run in
            try await run.raw(answeringOnce(answer)) { client in
                for _ in 0..<2 { try await client.expect("ok") }
                try client.expectConnections(2)
                try await client.expectClosed(2)
            }
        }
    }

    /// A server that answers the second request of the first connection, or all from there on, with 408 (RFC 9110
    /// §15.5.9).
    private static func timedOut(
        _ name: String, _ title: String, _ method: HTTPRequest.Method = .get, stays: Bool = false,
        text: String = "ok", connections: Int
    ) -> ConformanceCase {
        ConformanceCase(.reuse, name, title, on: [.http1]) { run in
            try await run.raw { connection in
                _ = try await connection.readHead()
                if connection.index == 0 || !stays { try await connection.respond("ok") }
                if connection.index == 0 { _ = try await connection.readHead() } else if !stays { return }
                try await connection.write(
                    "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 4\r\n\r\nlate")
            } _: { client in
                try await client.expect("ok")
                try await client.expect(text, status: text == "ok" ? .ok : .requestTimeout, method)
                try client.expectConnections(connections)
            }
        }
    }

    private static func misdirected(stays: Bool) -> ConformanceCase {
        let title =
            stays
            ? "a 421 on a fresh connection is a response"
            : "a 421 is tried on a fresh connection, and later requests are, too (RFC 9110 §15.5.20)"
        return ConformanceCase(.reuse, stays ? "misdirected-twice" : "misdirected", title, on: network) { run in
            let count = Counter()
            try await run.serve { exchange in
                count.add()
                let isMisdirected = stays || exchange.place.connection == 0
                return ConformanceReply(isMisdirected ? .misdirectedRequest : .ok, [:], "text")
            } _: { client in
                for _ in 0..<(stays ? 1 : 3) {
                    try await client.expect("text", status: stays ? .misdirectedRequest : .ok)
                }
                try expect(count.value, is: stays ? 2 : 4, "requests")
                try client.expectConnections(2)
            }
        }
    }
}
