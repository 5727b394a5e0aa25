import HTTPTypes
import HttpConversation

extension CaseList {
    private static func endless(_ pulled: Counter = Counter()) -> RequestBody {
        .stream(length: 1 << 40) {
            RequestBodyStream {
                try Task.checkCancellation()
                pulled.add()
                return [UInt8](repeating: 0, count: 10_000)
            }
        }
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
