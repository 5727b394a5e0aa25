import HTTPTypes
import HttpConversation

extension CaseList {
    static let expectations: [ConformanceCase] = [
        ConformanceCase(
            .expectations, "asked-for", "a one-shot body waits for 100 Continue", on: [.http1],
            needs: .streamingRequests
        ) { run in
            try await run.raw { connection in
                let head = try await connection.readHead().lowercased()
                try expect(head.contains("\r\nexpect: 100-continue\r\n"), "Expect: 100-continue", head)
                try await connection.write("HTTP/1.1 100 Continue\r\n\r\n")
                try await connection.respond("\(try await connection.readBytes(3))")
                try await connection.untilClosed()
            } _: { client in
                try await client.expect("[1, 2, 3]", .post, body: .oneShot(length: 3, stream([[1, 2, 3]])))
            }
        },
        ConformanceCase(
            .expectations, "refused", "a refusal leaves the body unread", on: [.http1], needs: .streamingRequests
        ) { run in
            try await run.raw { connection in
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno")
                try await connection.untilClosed()
            } _: { client in
                let body = RequestBody.oneShot(length: 3, stream([[1, 2, 3]]))
                try await client.expect("no", status: .unauthorized, .post, body: body)
                try expect(body.isReplayable, is: true, "isReplayable")
                try await client.expectClosed(1)
            }
        },
        ConformanceCase(
            .expectations, "unanswered", "without 100 Continue the body goes after a while", on: [.http1],
            needs: .streamingRequests
        ) { run in
            try await run.raw { connection in
                _ = try await connection.readHead()
                try await connection.respond("\(try await connection.readBytes(3))")
                try await connection.untilClosed()
            } _: { client in
                try await client.expect("[1, 2, 3]", .post, body: .oneShot(length: 3, stream([[1, 2, 3]])))
            }
        },
        ConformanceCase(
            .expectations, "failed", "417 is repeated without (RFC 9110 §10.1.1)", on: [.http1],
            needs: .streamingRequests
        ) { run in
            try await run.raw { connection in
                guard !(try await connection.readHead().lowercased().contains("\r\nexpect:")) else {
                    try await connection.write("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
                    return try await connection.untilClosed()
                }
                try await connection.respond("\(try await connection.readBytes(3))")
                try await connection.untilClosed()
            } _: { client in
                try await client.expect("[1, 2, 3]", .post, body: .oneShot(length: 3, stream([[1, 2, 3]])))
            }
        },
        ConformanceCase(
            .expectations, "final-after-continue", "100 Continue, then a response", on: [.http1],
            needs: .streamingRequests
        ) { run in
            try await run.raw { connection in
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n")
                _ = try await connection.readBytes(3)
                try await connection.write("HTTP/1.1 103 Early Hints\r\n\r\n")
                try await connection.respond("done")
                try await connection.untilClosed()
            } _: { client in
                try await client.expect("done", .post, body: .oneShot(length: 3, stream([[1, 2, 3]])))
            }
        },
        ConformanceCase(.expectations, "small", "a few bytes are sent at once", on: [.http1]) { run in
            try await run.raw { connection in
                let head = try await connection.readHead().lowercased()
                try expect(!head.contains("\r\nexpect:"), "no Expect", head)
                try await connection.respond("\(try await connection.readBytes(3))")
                try await connection.untilClosed()
            } _: { client in
                try await client.expect("[1, 2, 3]", .post, body: .bytes([1, 2, 3]))
            }
        },
    ]
}
