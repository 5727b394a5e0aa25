import HTTPTypes
import HttpConversation

extension CaseList {
    static let streams: [ConformanceCase] = [
        ConformanceCase(.streams, "many-at-once", "one connection serves many at once, in any order", on: [.http2]) {
            run in
            try await run.frames { peer in
                var streams: [Int] = []
                while streams.count < 20 { streams.append(try await peer.readRequest()) }
                for stream in streams.reversed() { try await peer.respond(stream, "\(stream)") }
                try await peer.serve()
            } _: { client in
                let texts = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<20 { group.addTask { String(decoding: try await client.bytes(), as: UTF8.self) } }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                try expect(texts, is: Set((0..<20).map { "\($0 * 2 + 1)" }), "the bodies")
                try client.expectConnections(1)
            }
        },
        limit(1), limit(3),
        ConformanceCase(.streams, "trailers", "trailers end a body, and are no fields of its head", on: [.http2]) {
            run in
            try await run.frames { peer in
                let stream = try await peer.readRequest()
                try await peer.write(HTTP2Peer.head(stream, [(":status", "200"), ("x-a", "b")]))
                try await peer.write(HTTP2Peer.body(stream, Array("text".utf8), ends: false))
                try await peer.write(HTTP2Peer.head(stream, [("set-cookie", "a=b")], ends: true))
                try await peer.serve()
            } _: { client in
                let response = try await client.expect("text")
                try expect(response.head.headerFields[.setCookie], is: nil, "Set-Cookie of a trailer")
            }
        },
        ConformanceCase(.streams, "window", "uploads go no faster than the server's windows allow", on: [.http2]) {
            run in
            try await run.frames(settings: [(4, 1000)]) { peer in
                // When this exchange ends, the client knows the settings.
                try await peer.respond(try await peer.readRequest())
                let stream = try await peer.readRequest()
                var received = 0
                var window = 1000
                while true {
                    let frame = try await peer.read(HTTP2Peer.data)
                    received += frame.payload.count
                    window -= frame.payload.count
                    try expect(window >= 0, "no more than the window", "\(-window) bytes beyond")
                    if frame.endsStream { break }
                    if window == 0 {
                        window = 50_000
                        for id in [0, stream] {
                            try await peer.write(
                                HTTP2Peer.frame(HTTP2Peer.windowUpdate, stream: id, HTTP2Peer.number(50_000)))
                        }
                    }
                }
                try await peer.respond(stream, "\(received)")
                try await peer.serve()
            } _: { client in
                try await client.expect("ok")
                try await client.expect("400000", .post, body: .bytes([UInt8](repeating: 7, count: 400_000)))
            }
        },
        ConformanceCase(
            .streams, "early-answer", "an early answer resets its stream, and the connection serves on", on: [.http2]
        ) { run in
            let isReset = Gate()
            try await run.frames { peer in
                let stream = try await peer.readRequest()
                try await peer.write(HTTP2Peer.head(stream, [(":status", "413")], ends: true))
                _ = try await peer.read(HTTP2Peer.rstStream)
                isReset.open()
                try await peer.serve()
            } _: { client in
                try await client.expect(
                    "", status: .contentTooLarge, .put, body: .bytes([UInt8](repeating: 1, count: 4 << 20)))
                await isReset.wait()
                try await client.expect("ok")
                try client.expectConnections(1)
            }
        },
        ConformanceCase(.streams, "refused", "a stream that was refused is sent again (RFC 9113 §8.7)", on: [.http2]) {
            run in
            try await run.frames { peer in
                for _ in 0..<3 { try await peer.reset(try await peer.readRequest(), 7) }
                try await peer.serve()
            } _: { client in
                try await client.expect("ok", .post, body: .bytes([1]))
                try client.expectConnections(1)
            }
        },
        ConformanceCase(.streams, "refused-for-ever", "refusing has an end", on: [.http2]) { run in
            try await run.frames { peer in
                while true { try await peer.reset(try await peer.readRequest(), 7) }
            } _: { client in
                try await client.expectFailure(.http2StreamReset)
            }
        },
        reset(8, "CANCEL"), reset(11, "ENHANCE_YOUR_CALM"), reset(2, "INTERNAL_ERROR"),
        ConformanceCase(.streams, "reset-in-the-body", "a reset stream does not end a body", on: [.http2]) {
            run in
            try await run.frames { peer in
                let stream = try await peer.readRequest()
                try await peer.write(
                    HTTP2Peer.head(stream, [(":status", "200")]) + HTTP2Peer.body(stream, [1], ends: false))
                try await peer.reset(stream, 2)
                try await peer.serve()
            } _: { client in
                try await client.expectFailure(.http2StreamReset, .bodyCut)
                try await client.expect("ok")
            }
        },
        ConformanceCase(
            .streams, "no-error-reset", "a reset without an error after a response is ignored (RFC 9113 §8.1)",
            on: [.http2]
        ) { run in
            try await run.frames { peer in
                let stream = try await peer.readRequest()
                try await peer.respond(stream, "done")
                try await peer.reset(stream, 0)
                try await peer.serve()
            } _: { client in
                try await client.expect("done", .put, body: .bytes([UInt8](repeating: 1, count: 1 << 20)))
                try await client.expect("ok")
            }
        },
        goAway(.get), goAway(.post),
        ConformanceCase(
            .streams, "one-shot-is-not-repeated", "a one-shot body that was read is not sent again", on: [.http2],
            needs: .streamingRequests
        ) { run in
            try await run.frames { peer in
                let stream = try await peer.readRequest()
                try await peer.write(HTTP2Peer.head(stream, [(":status", "100")]))
                _ = try await peer.read(HTTP2Peer.data)
                try await peer.reset(stream, 7)
                try await peer.serve()
            } _: { client in
                let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
                continuation.yield([1, 2])
                let error = await client.failure(.post, body: .oneShot(stream))
                continuation.finish()
                try Client.check(error, [.http2StreamReset])
            }
        },
        ConformanceCase(.streams, "fault-of-one", "a fault on one stream is its own matter", on: [.http2]) { run in
            try await run.frames { peer in
                var streams: [Int] = []
                while streams.count < 2 { streams.append(try await peer.readRequest()) }
                try await peer.write(
                    HTTP2Peer.head(streams[0], [(":status", "200"), ("connection", "close")], ends: true))
                try await peer.respond(streams[1])
                try await peer.serve()
            } _: { client in
                let codes = await withTaskGroup(of: Client.Code?.self) { group in
                    for _ in 0..<2 { group.addTask { await client.failure()?.code } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                try expect(
                    codes.count { $0 == nil } == 1 && codes.contains(.malformedResponse), "one malformedResponse",
                    "\(codes)")
                try await client.expect("ok")
                try client.expectConnections(1)
            }
        },
        ConformanceCase(
            .streams, "stalled-reader", "a reader that stalls holds up no other stream", on: [.http2],
            needs: .streamingResponses
        ) { run in
            try await run.frames { peer in
                let slow = try await peer.readRequest()
                try await peer.write(HTTP2Peer.head(slow, [(":status", "200")]))
                // Fewer bytes than any window.
                try await peer.write(HTTP2Peer.body(slow, [UInt8](repeating: 1, count: 10_000), ends: false))
                try await peer.respond(try await peer.readRequest(), "quick")
                try await peer.write(HTTP2Peer.body(slow, [2]))
                try await peer.serve()
            } _: { client in
                let slow = try await client.send()
                try await client.expect("quick")
                try expect(try await slow.body.collect(upTo: 1 << 20).count, is: 10_001, "bytes")
                try client.expectConnections(1)
            }
        },
        ConformanceCase(.streams, "no-preface", "a server that begins with something else than SETTINGS", on: [.http2])
        { run in
            try await run.raw(tls: SuiteAuthority.context(protocols: ["h2"]), host: "localhost") { connection in
                _ = try await connection.readBytes(24)
                try await connection.write(HTTP2Peer.frame(HTTP2Peer.ping, [1, 2, 3, 4, 5, 6, 7, 8]))
                try await connection.untilClosed()
            } _: { client in
                try await client.expectFailure(.http2Failed)
            }
        },
        ConformanceCase(.streams, "rapid-resets", "streams that are reset as fast as they are opened", on: [.http2]) {
            run in
            try await run.frames { peer in
                while true { try await peer.reset(try await peer.readRequest(), 2) }
            } _: { client in
                for _ in 0..<50 { try await client.expectFailure(.http2StreamReset, .http2Failed) }
            }
        },
        ConformanceCase(
            .streams, "http1-required", "HTTP/1.1 where a server wants that (RFC 9113 §9.2.2)", on: [.http2]
        ) { run in
            try await run.raw(tls: SuiteAuthority.context(protocols: ["h2", "http/1.1"]), host: "localhost") {
                connection in
                guard connection.index == 0 else {
                    while true {
                        _ = try await connection.readHead()
                        try await connection.respond("old")
                    }
                }
                let peer = try await HTTP2Peer.accept(connection)
                try await peer.reset(try await peer.readRequest(), 13)
                try await connection.untilClosed()
            } _: { client in
                for _ in 0..<2 { try await client.expect("old") }
            }
        },
    ]

    private static func limit(_ limit: Int) -> ConformanceCase {
        ConformanceCase(
            .streams, "limit-of-\(limit)", "no more than \(limit) at a time where the server says so", on: [.http2]
        ) { run in
            try await run.frames(settings: [(3, limit)]) { peer in
                for _ in 0..<(12 / limit) {
                    var open: [Int] = []
                    while open.count < limit { open.append(try await peer.readRequest()) }
                    // The client must send no further request now: its next frame must be the answer to the ping.
                    try await peer.write(HTTP2Peer.frame(HTTP2Peer.ping, [1, 2, 3, 4, 5, 6, 7, 8]))
                    while true {
                        let frame = try await peer.read()
                        if frame.type == HTTP2Peer.headers { open.append(frame.stream) }
                        if frame.type == HTTP2Peer.ping { break }
                    }
                    try expect(open.count, is: limit, "streams at a time")
                    for stream in open { try await peer.respond(stream) }
                }
                try await peer.serve()
            } _: { client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<12 { group.addTask { try await client.expect("ok") } }
                    try await group.waitForAll()
                }
                try client.expectConnections(1)
            }
        }
    }

    private static func reset(_ code: Int, _ name: String) -> ConformanceCase {
        ConformanceCase(
            .streams, "reset-\(slug(name))", "a stream that is reset with \(name) is not sent again", on: [.http2]
        ) { run in
            let count = Counter()
            try await run.frames { peer in
                try await peer.respond(try await peer.readRequest())
                let stream = try await peer.readRequest()
                count.add()
                try await peer.reset(stream, code)
                try await peer.serve()
            } _: { client in
                try await client.expect("ok")
                try await client.expectFailure(.http2StreamReset)
                try expect(count.value, is: 1, "requests")
            }
        }
    }

    /// Streams above the last one of a GOAWAY go to a new connection. The others end on the old one.
    private static func goAway(_ method: HTTPRequest.Method) -> ConformanceCase {
        let name = method.rawValue
        return ConformanceCase(
            .streams, "go-away-\(name.lowercased())",
            "\(name) behind a GOAWAY goes to a new connection (RFC 9113 §6.8)", on: [.http2]
        ) { run in
            try await run.frames { peer in
                guard peer.connection.index == 0 else { return try await peer.serve("second") }
                for _ in 0..<3 { _ = try await peer.readRequest() }
                try await peer.goAway(last: 3)
                try await peer.respond(1, "first")
                try await peer.respond(3, "first")
                try await peer.connection.untilClosed()
            } _: { client in
                let texts = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<3 { group.addTask { String(decoding: try await client.bytes(method), as: UTF8.self) } }
                    return try await group.reduce(into: []) { $0.append($1) }.sorted()
                }
                try expect(texts, is: ["first", "first", "second"], "the bodies")
                try client.expectConnections(2)
            }
        }
    }
}
