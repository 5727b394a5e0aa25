import HTTPTypes
import HttpConversation

extension CaseList {
    static let cancellation: [ConformanceCase] = [
        ConformanceCase(.cancellation, "before", "a cancelled task sends nothing", on: everywhere) { run in
            let count = Counter()
            try await run.serve { _ in
                count.add()
                return ConformanceReply(.ok, [:], "ok")
            } _: { client in
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return await client.failure()
                }
                try Client.check(await task.value, [.cancelled])
                if run.wire != .inProcess { try expect(count.value, is: 0, "requests") }
            }
        },
        ConformanceCase(.cancellation, "waiting-for-the-head", "waiting for a head ends at once", on: everywhere) {
            run in
            let arrived = Gate()
            try await run.serve { _ in
                arrived.open()
                try await Task.sleep(for: .seconds(3600))
                return ConformanceReply()
            } _: { client in
                let task = Task { await client.failure() }
                await arrived.wait()
                try await Client.expectCancelled(task)
                if run.wire == .http1 { try await client.server.wait { _ in true } }
            }
        },
        closes("in-the-head", "in a head", "HTTP/1.1 200 OK\r\nContent-"),
        closes("in-the-body", "in a body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
        closes("before-anything", "before the first byte", ""),
        ConformanceCase(
            .cancellation, "in-an-open-body", "reading a body ends at once", on: everywhere, needs: .streamingResponses
        ) { run in
            try await run.serve { _ in
                ConformanceReply(.ok, [:], pieces: [], ending: .open)
            } _: { client in
                let body = try await client.send().body
                let task = Task { () async -> ConversationError? in
                    do throws(ConversationError) { _ = try await body.next() } catch { return error }
                    return nil
                }
                try await Client.expectCancelled(task)
            }
        },
        ConformanceCase(
            .cancellation, "while-sending", "sending ends at once, and its source with it", on: [.http1],
            needs: .streamingRequests
        ) { run in
            let arrived = Gate()
            let ended = Gate()
            try await run.raw { connection in
                _ = try await connection.readHead()
                _ = try await connection.readBytes(1)
                arrived.open()
                try await connection.untilClosed()
            } _: { client in
                let body = RequestBody.stream(length: 1000) {
                    let first = Counter()
                    return RequestBodyStream {
                        if first.add() == 1 { return [1] }
                        // Sleeps until its task is cancelled.
                        do { try await Task.sleep(for: .seconds(3600)) } catch { ended.open() }
                        throw CancellationError()
                    }
                }
                let task = Task { await client.failure(.post, body: body) }
                await arrived.wait()
                try await Client.expectCancelled(task)
                try await client.expectClosed(1)
                await ended.wait()
            }
        },
        ConformanceCase(.cancellation, "in-the-handshake", "a TLS handshake ends at once", on: [.http1]) { run in
            let arrived = Gate()
            try await run.raw { connection in
                _ = try await connection.read()
                arrived.open()
                try await connection.untilClosed()
            } _: { client in
                let secure = client.at("https://localhost:\(try client.server.port)")
                let task = Task { await secure.failure() }
                await arrived.wait()
                try await Client.expectCancelled(task)
                try await client.expectClosed(1)
            }
        },
        ConformanceCase(
            .cancellation, "dropped-body", "dropping a body ends the exchange", on: [.http1], needs: .streamingResponses
        ) { run in
            try await run.raw(answeringOnce("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")) { client in
                var response: TransportResponse? = try await client.send()
                _ = try await response?.body.next()
                response = nil
                try await client.expectClosed(1)
            }
        },
        ConformanceCase(
            .cancellation, "dropped-response", "dropping a response ends the exchange", on: [.http1],
            needs: .streamingResponses
        ) { run in
            try await run.raw(answeringOnce("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")) { client in
                _ = try await client.send()
                try await client.expectClosed(1)
            }
        },
        ConformanceCase(.cancellation, "others-go-on", "the others go on", on: network) { run in
            let arrived = Counter()
            let gate = Gate()
            try await run.raw(
                tls: run.wire == .http2 ? SuiteAuthority.context(protocols: ["h2"]) : nil, host: "localhost"
            ) { connection in
                if run.wire == .http1 {
                    _ = try await connection.readHead()
                    arrived.add()
                    await gate.wait()
                    return try await connection.respond("ok")
                }
                let peer = try await HTTP2Peer.accept(connection, settings: [(3, 100)])
                var streams: [Int] = []
                while streams.count < 3 {
                    streams.append(try await peer.readRequest())
                    arrived.add()
                }
                await gate.wait()
                for stream in streams { try await peer.respond(stream) }
                try await peer.serve()
            } _: { client in
                let tasks = (0..<3).map { _ in Task { await client.failure() } }
                await arrived.wait(for: 3)
                try await Client.expectCancelled(tasks[1])
                gate.open()
                for index in [0, 2] {
                    if let error = await tasks[index].value {
                        throw Mismatch(expected: "a whole response", happened: "\(error)")
                    }
                }
            }
        },
        ConformanceCase(
            .cancellation, "frees-its-stream", "a cancelled stream is reset, and its connection serves on", on: [.http2]
        ) { run in
            let arrived = Gate()
            try await run.frames(settings: [(3, 1)]) { peer in
                let stream = try await peer.readRequest()
                arrived.open()
                let frame = try await peer.read(HTTP2Peer.rstStream)
                try expect(frame.stream, is: stream, "the stream that is reset")
                try expect(frame.payload, is: HTTP2Peer.number(8), "its reason, CANCEL")
                try await peer.serve()
            } _: { client in
                let task = Task { await client.failure() }
                await arrived.wait()
                let waiting = Task { try await client.expect("ok") }
                try await Client.expectCancelled(task)
                _ = try await waiting.value
                try client.expectConnections(1)
            }
        },
    ]

    private static func closes(_ name: String, _ title: String, _ begun: String) -> ConformanceCase {
        ConformanceCase(.cancellation, name, "cancelled \(title), the connection is closed", on: [.http1]) { run in
            let arrived = Gate()
            try await run.raw { connection in
                _ = try await connection.readHead()
                try await connection.write(begun)
                arrived.open()
                try await connection.untilClosed()
            } _: { client in
                let task = Task { await client.failure(.post) }
                await arrived.wait()
                try await Client.expectCancelled(task)
                try await client.expectClosed(1)
            }
        }
    }
}
