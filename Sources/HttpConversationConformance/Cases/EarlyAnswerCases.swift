import HTTPTypes
import HttpConversation

extension CaseList {
    private static func endless() -> RequestBody {
        .stream(length: 1 << 40) {
            RequestBodyStream {
                try Task.checkCancellation()
                return [UInt8](repeating: 0, count: 10_000)
            }
        }
    }

    /// The length of a body that is larger than an HTTP/2 server's first window.
    private static let length = 100_000

    /// Answers 200 before it has all of the body.
    private static func answeringEarly(_ connection: ServerConnection) async throws {
        _ = try await connection.readHead()
        _ = try await connection.readBytes(1)
        try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\ngot ")
        try await connection.write("\(try await connection.readBytes(length - 1).count + 1)")
        try await connection.untilClosed()
    }

    private static func answeringEarly(_ peer: HTTP2Peer) async throws {
        let stream = try await peer.readRequest()
        try await peer.write(
            HTTP2Peer.head(stream, [(":status", "200")]) + HTTP2Peer.body(stream, Array("got ".utf8), ends: false))
        let count = try await bodyLength(of: stream, peer)
        try await peer.write(HTTP2Peer.body(stream, Array("\(count)".utf8)))
        try await peer.serve()
    }

    /// Reads the body of a request.
    private static func bodyLength(of stream: Int, _ peer: HTTP2Peer) async throws -> Int {
        for id in [0, stream] {
            try await peer.write(HTTP2Peer.frame(HTTP2Peer.windowUpdate, stream: id, HTTP2Peer.number(length)))
        }
        var count = 0
        while true {
            let frame = try await peer.read()
            if frame.type == HTTP2Peer.windowUpdate { continue }
            try expect(frame.type, is: HTTP2Peer.data, "the type of the frame")
            count += frame.payload.count
            if frame.endsStream { return count }
        }
    }

    /// Sends all of a 200 before it has all of the body.
    private static func answeringAtOnce(_ connection: ServerConnection, thenGot whole: Gate) async throws {
        _ = try await connection.readHead()
        _ = try await connection.readBytes(1)
        try await connection.respond("ok")
        _ = try await connection.readBytes(length - 1)
        whole.open()
        try await connection.untilClosed()
    }

    private static func answeringAtOnce(_ peer: HTTP2Peer, thenGot whole: Gate) async throws {
        let stream = try await peer.readRequest()
        try await peer.respond(stream)
        try expect(try await bodyLength(of: stream, peer), is: length, "the length of the body")
        whole.open()
        try await peer.serve()
    }

    /// Sends the rest of a body once the response has begun.
    private static func sendingOn(_ client: Client, expecting text: String = "got \(length)") async throws {
        let answered = Gate()
        let pieces = Counter()
        let body = RequestBody.stream(length: length) {
            RequestBodyStream {
                let number = pieces.add()
                if number > 1 { await answered.wait() }
                return number > 10 ? nil : [UInt8](repeating: 1, count: length / 10)
            }
        }
        let response = try await client.send(.post, body: body)
        answered.open()
        let bytes = try await response.body.collect(upTo: 100)
        try expect(String(decoding: bytes, as: UTF8.self), is: text, "the body")
    }

    static let earlyAnswers: [ConformanceCase] =
        [401, 403, 413, 503].map { code in
            ConformanceCase(
                .earlyAnswers, "stops-the-upload-\(code)", "a \(code) before its end stops an upload", on: network,
                needs: .streamingRequests
            ) { run in
                try await run.serve { _ in
                    ConformanceReply(.init(code: code), [:], "big")
                } _: { client in
                    try await client.expect("big", status: .init(code: code), .put, body: endless())
                }
            }
        } + [
            ConformanceCase(
                .earlyAnswers, "early-2xx-goes-on", "an upload goes on when a 200 begins before its end", on: network,
                needs: [.streamingRequests, .streamingResponses]
            ) { run in
                if run.wire == .http2 {
                    try await run.frames(answeringEarly) { try await sendingOn($0) }
                } else {
                    try await run.raw(answeringEarly) { try await sendingOn($0) }
                }
            },
            ConformanceCase(
                .earlyAnswers, "whole-2xx-goes-on", "an upload goes on when a 200 ends before its end", on: network,
                needs: [.streamingRequests, .streamingResponses]
            ) { run in
                let whole = Gate()
                let sending: @Sendable (Client) async throws -> Void = { client in
                    try await sendingOn(client, expecting: "ok")
                    await whole.wait()
                }
                if run.wire == .http2 {
                    try await run.frames({ try await answeringAtOnce($0, thenGot: whole) }, sending)
                } else {
                    try await run.raw({ try await answeringAtOnce($0, thenGot: whole) }, sending)
                }
            },
            ConformanceCase(
                .earlyAnswers, "closes", "the connection of a stopped upload is closed", on: [.http1],
                needs: .streamingRequests
            ) { run in
                try await run.raw { connection in
                    _ = try await connection.readHead()
                    _ = try await connection.readBytes(1)
                    try await connection.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig")
                    try await connection.untilClosed()
                } _: { client in
                    try await client.expect("big", status: .contentTooLarge, .put, body: endless())
                    try await client.expectClosed(1)
                }
            },
            ConformanceCase(
                .earlyAnswers, "waiting-source", "a source that waits does not hold the response up", on: network,
                needs: .streamingRequests
            ) { run in
                let (begun, ended) = (Gate(), Gate())
                try await run.serve { _ in
                    // A source that nobody has asked yet would not be stopped.
                    await begun.wait()
                    return ConformanceReply(.forbidden, [:], "no")
                } _: { client in
                    let body = RequestBody.stream(length: 100) {
                        RequestBodyStream {
                            begun.open()
                            // Sleeps until its task is cancelled.
                            do { try await Task.sleep(for: .seconds(3600)) } catch { ended.open() }
                            throw CancellationError()
                        }
                    }
                    try await client.expect("no", status: .forbidden, .put, body: body)
                    await ended.wait()
                }
            },
            ConformanceCase(
                .earlyAnswers, "others-go-on", "a stopped upload is nobody else's matter", on: network,
                needs: .streamingRequests
            ) { run in
                try await run.serve { exchange in
                    exchange.method == "PUT"
                        ? ConformanceReply(.forbidden, [:], "no") : ConformanceReply(.ok, [:], "ok")
                } _: { client in
                    for _ in 0..<3 {
                        try await client.expect("no", status: .forbidden, .put, body: endless())
                        try await client.expect("ok")
                    }
                }
            },
            ConformanceCase(
                .earlyAnswers, "close-and-reset", "a server that answers and goes is heard", on: [.http1],
                needs: .streamingRequests
            ) { run in
                try await run.raw { connection in
                    _ = try await connection.readHead()
                    try await connection.write(
                        "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig")
                } _: { client in
                    try await client.expect(
                        "big", status: .contentTooLarge, .put, body: .bytes([UInt8](repeating: 0, count: 10_000)))
                }
            },
        ]
}
