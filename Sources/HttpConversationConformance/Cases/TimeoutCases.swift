import HTTPTypes
import HttpConversation

extension CaseList {
    static let timeouts: [ConformanceCase] = [
        silence("before-the-head", "a server that says nothing", ""),
        silence("in-the-head", "a server that stops in its head", "HTTP/1.1 200"),
        silence(
            "before-the-body", "a server that stops before its body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
        silence("in-the-body", "a server that stops in its body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
        silence(
            "in-a-chunk", "a server that stops in a chunk",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc"),
        silence(
            "after-an-interim-response", "a server that stops after an interim response",
            "HTTP/1.1 103 Early Hints\r\n\r\n"),
        ConformanceCase(.timeouts, "idle-stream", "a stream that says nothing is given up", on: [.http2]) { run in
            try await run.frames { peer in
                let stream = try await peer.readRequest()
                try expect(try await peer.read(HTTP2Peer.rstStream).stream, is: stream, "the stream that is reset")
                try await peer.serve()
            } _: { client in
                try await client.expectFailure(.timedOut) { $0.idleTimeout = .milliseconds(300) }
                try await client.expect("ok")
            }
        },
        ConformanceCase(.timeouts, "server-that-does-not-read", "a server that takes nothing is given up", on: [.http1])
        { run in
            let done = Gate()
            try await run.raw(receiveBuffer: 4096) { connection in
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 100 Continue\r\n\r\n")
                await done.wait()
            } _: { client in
                let error = await client.failure(.put, body: .bytes([UInt8](repeating: 0, count: 32 << 20))) {
                    $0.idleTimeout = .milliseconds(300)
                }
                done.open()
                try Client.check(error, [.timedOut])
            }
        },
        ConformanceCase(.timeouts, "trickle-is-not-idle", "a server that is slow is not idle", on: [.http1]) { run in
            try await run.raw { connection in
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n")
                for _ in 0..<20 {
                    try await Task.sleep(for: .milliseconds(100))
                    try await connection.write("a")
                }
                try await connection.untilClosed()
            } _: { client in
                try await client.expect(String(repeating: "a", count: 20)) { $0.idleTimeout = .milliseconds(1500) }
            }
        },
        ConformanceCase(
            .timeouts, "slowness-of-our-own", "neither a slow source nor a slow reader is the peer's silence",
            on: [.http1], needs: [.streamingRequests, .streamingResponses]
        ) { run in
            try await run.raw { connection in
                _ = try await connection.readHead()
                _ = try await connection.readBytes(2)
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(8 << 20)\r\n\r\n")
                try await connection.write([UInt8](repeating: 7, count: 8 << 20))
                try await connection.untilClosed()
            } _: { client in
                let source = RequestBody.stream(length: 2) {
                    let count = Counter()
                    return RequestBodyStream {
                        guard count.add() <= 2 else { return nil }
                        try await Task.sleep(for: .milliseconds(1200))
                        return [1]
                    }
                }
                let response = try await client.send(.post, body: source) { $0.idleTimeout = .seconds(1) }
                _ = try await response.body.next()
                try await Task.sleep(for: .seconds(2))
                let rest = try await response.body.collect(upTo: 16 << 20)
                try expect(rest.count > 4 << 20, "the rest of the body", "\(rest.count) bytes")
            }
        },
        ConformanceCase(
            .timeouts, "whole-exchange", "the limit of the whole exchange ends a body that never does", on: [.http1]
        ) { run in
            try await run.raw { connection in
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                while true {
                    try await connection.write("1\r\na\r\n")
                    try await Task.sleep(for: .milliseconds(5))
                }
            } _: { client in
                try await client.expectFailure(.timedOut) { $0.timeLimit = .milliseconds(300) }
            }
        },
        ConformanceCase(
            .timeouts, "whole-exchange-before-the-head", "the limit of the whole exchange holds from its start",
            on: [.http1]
        ) { run in
            try await run.raw { connection in
                _ = try await connection.readHead()
                while true {
                    try await connection.write("HTTP/1.1 103 Early Hints\r\n\r\n")
                    try await Task.sleep(for: .milliseconds(200))
                }
            } _: { client in
                try await client.expectFailure(.timedOut) { $0.timeLimit = .milliseconds(300) }
            }
        },
        ConformanceCase(.timeouts, "handshake", "a TLS handshake that does not end counts as connecting", on: [.http1])
        { run in
            try await run.raw { connection in
                _ = try await connection.read()
                try await connection.untilClosed()
            } _: { client in
                let secure = client.at("https://localhost:\(try client.server.port)")
                try await secure.expectFailure(.timedOut) { $0.connectTimeout = .milliseconds(300) }
                try await client.expectClosed(1)
            }
        },
        ConformanceCase(.timeouts, "in-time", "what ends in time is not ended by a limit", on: network) { run in
            try await run.serve { _ in
                ConformanceReply(.ok, [:], "ok")
            } _: { client in
                for _ in 0..<2 {
                    try await client.expect("ok") {
                        $0.idleTimeout = .seconds(5)
                        $0.timeLimit = .seconds(5)
                        $0.connectTimeout = .seconds(5)
                    }
                }
            }
        },
    ]

    private static func silence(_ name: String, _ title: String, _ begun: String) -> ConformanceCase {
        ConformanceCase(.timeouts, name, "\(title) is given up", on: [.http1]) { run in
            try await run.raw(answeringOnce(begun)) { client in
                try await client.expectFailure(.timedOut) { $0.idleTimeout = .milliseconds(400) }
                try await client.expectClosed(1)
            }
        }
    }
}
