import HTTPTypes
import HttpConversation
import Synchronization

extension CaseList {
    private struct Broken: Error {}
    private static let large = [UInt8](repeating: 1, count: 1 << 20)

    static func stream(_ chunks: [[UInt8]]) -> RequestBodyStream {
        let left = Mutex(chunks[...])
        return RequestBodyStream { left.withLock { $0.popFirst() } }
    }

    static let uploads: [ConformanceCase] = [
        upload("none", "no body", nil, []), upload("empty", "no byte", .bytes([]), []),
        upload("bytes", "bytes", .bytes([1, 2]), [1, 2]),
        upload("every-byte", "every byte", .bytes(Array(0...255)), Array(0...255)),
        upload("text", "text", .text("h\u{e9}"), [104, 0xC3, 0xA9]),
        upload("large", "a mebibyte", .bytes(large), large),
        upload(
            "known-stream", "a stream of a known length", .stream(length: 4) { stream([[1], [], [2, 3], [4]]) },
            [1, 2, 3, 4]),
        upload(
            "unknown-stream", "a stream of an unknown length", .stream { stream([[1], [], [2, 3], [4]]) }, [1, 2, 3, 4]),
        upload(
            "large-stream", "a large stream",
            .stream { stream((0..<16).map { _ in [UInt8](repeating: 1, count: 1 << 16) }) }, large),
        upload("empty-stream", "an empty stream", .stream { stream([]) }, []),
        upload("empty-known-stream", "an empty stream that says so", .stream(length: 0) { stream([]) }, []),
        upload("source", "what lies somewhere else", .source(Source(bytes: large)), large),
        upload("empty-source", "a source without a byte", .source(Source(bytes: [])), []),
        ConformanceCase(
            .uploads, "one-shot", "a one-shot stream is read once, and is used then", on: everywhere,
            needs: .streamingRequests
        ) { run in
            try await run.serve {
                ConformanceReply(.ok, [:], "\(try await $0.body())")
            } _: { client in
                let body = RequestBody.oneShot(length: 2, stream([[5], [6]]))
                try await client.expect("[5, 6]", .post, body: body)
                try expect(body.isReplayable, is: false, "isReplayable afterwards")
                try await client.expectFailure(.bodyNotReplayable, method: .post, body: body)
            }
        },
        ConformanceCase(
            .uploads, "one-shot-without-length", "a one-shot stream of an unknown length arrives", on: everywhere,
            needs: .streamingRequests
        ) { run in
            try await run.serve {
                ConformanceReply(.ok, [:], "\(try await $0.body())")
            } _: { client in
                try await client.expect("[5, 6]", .post, body: .oneShot(stream([[5], [6]])))
            }
        },
        ConformanceCase(.uploads, "length", "a known length is announced", on: [.http1]) { run in
            try await run.serve { exchange in
                let announced = exchange.values("content-length") + exchange.values("transfer-encoding")
                return ConformanceReply(.ok, [:], "\(announced) \(try await exchange.body().count)")
            } _: { client in
                try await client.expect("[\"3\"] 3", .post, body: .bytes([1, 2, 3]))
                try await client.expect("[\"3\"] 3", .post, body: .stream(length: 3) { stream([[1, 2, 3]]) })
                try await client.expect("[\"3\"] 3", .post, body: .source(Source(bytes: [1, 2, 3])))
                try await client.expect("[\"chunked\"] 3", .post, body: .stream { stream([[1, 2, 3]]) })
            }
        },
        ConformanceCase(.uploads, "any-method", "a body goes with any method", on: everywhere) { run in
            try await run.serve {
                ConformanceReply(.ok, [:], "\($0.method) \(try await $0.body())")
            } _: { client in
                for name in ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"] {
                    try await client.expect("\(name) [1, 2]", .init(name) ?? .post, body: .bytes([1, 2]))
                }
            }
        },
        progress("bytes", .bytes(large), total: large.count),
        progress("few-bytes", .bytes([1, 2, 3]), total: 3),
        progress(
            "known-stream",
            .stream(length: large.count) { stream((0..<16).map { _ in [UInt8](repeating: 1, count: 1 << 16) }) },
            total: large.count),
        progress(
            "unknown-stream", .stream { stream((0..<16).map { _ in [UInt8](repeating: 1, count: 1 << 16) }) },
            total: nil),
        wrongLength("longer", "more than announced", 2, [[1, 2, 3]]),
        wrongLength("longer-in-pieces", "more than announced, in pieces", 2, [[1], [2], [3]]),
        wrongLength("shorter", "less than announced", 4, [[1, 2, 3]]),
        wrongLength("nothing", "nothing of what was announced", 1, []),
        failing(
            "source-that-fails", "a source that fails amid", .stream(length: 5) { RequestBodyStream { throw Broken() } }
        ),
        failing(
            "unknown-source-that-fails", "a source without a length that fails amid",
            .stream {
                let first = Atomic(true)
                return RequestBodyStream {
                    if first.exchange(false, ordering: .relaxed) { return [1] }
                    throw Broken()
                }
            }),
        failing("source-that-does-not-open", "a source that does not open", .stream(length: 5) { throw Broken() }),
        ConformanceCase(.uploads, "missing-source", "a source says itself why it cannot be read", on: network) {
            run in
            try await run.serve {
                ConformanceReply(.ok, [:], "\(try await $0.body())")
            } _: { client in
                let error = try await client.expectFailure(
                    .bodyUnavailable, method: .post, body: .source(Source(bytes: nil)))
                try expect(error.message.contains("conformance source"), "the source's own message", error.message)
            }
        },
        ConformanceCase(
            .uploads, "read-as-it-is-sent", "a stream is sent as it comes", on: [.http1], needs: .streamingRequests
        ) { run in
            let arrived = Gate()
            try await run.raw { connection in
                _ = try await connection.readHead()
                _ = try await connection.readBytes(2)
                arrived.open()
                _ = try await connection.readBytes(2)
                try await connection.respond("ok")
                try await connection.untilClosed()
            } _: { client in
                let body = RequestBody.stream(length: 4) {
                    let calls = Counter()
                    return RequestBodyStream {
                        switch calls.add() {
                        case 1: return [1, 2]
                        case 2:
                            await arrived.wait()
                            return [3, 4]
                        default: return nil
                        }
                    }
                }
                try await client.expect("ok", .post, body: body)
            }
        },
    ]

    private static func upload(_ name: String, _ title: String, _ body: RequestBody?, _ bytes: [UInt8])
        -> ConformanceCase
    {
        ConformanceCase(.uploads, name, "\(title): arrives whole, again and again", on: everywhere) { run in
            try await run.serve { exchange in
                let received = try await exchange.body()
                return ConformanceReply(.ok, [:], "\(received.count) \(received == bytes)")
            } _: { client in
                for _ in 0..<2 { try await client.expect("\(bytes.count) true", .post, body: body) }
            }
        }
    }

    private static func progress(_ name: String, _ body: RequestBody, total: Int?) -> ConformanceCase {
        ConformanceCase(.uploads, "progress-of-\(name)", "progress reaches the length", on: everywhere) { run in
            try await run.serve {
                ConformanceReply(.ok, [:], "\(try await $0.body().count)")
            } _: { client in
                let reports = Mutex<[(sent: Int, total: Int?)]>([])
                let bytes = try await client.bytes(
                    .post, body: body.onProgress { sent, total in reports.withLock { $0.append((sent, total)) } })
                if run.wire == .inProcess { return }
                let seen = reports.withLock { $0 }
                let length = String(decoding: bytes, as: UTF8.self)
                try expect(seen.last.map { "\($0.sent)" } ?? "no report", is: length, "the last report")
                try expect(seen.map(\.sent) == seen.map(\.sent).sorted(), "reports that grow", "\(seen)")
                // The end may tell the length of a stream.
                let isTotal = seen.allSatisfy { $0.total == total || total == nil && $0.total == Int(length) }
                try expect(isTotal, "the total \(String(describing: total))", "\(seen.map(\.total))")
                try expect((Int(length) ?? 0) < 10 || seen.count > 2, "several reports", "\(seen.count)")
            }
        }
    }

    private static func wrongLength(_ name: String, _ title: String, _ announced: Int, _ chunks: [[UInt8]])
        -> ConformanceCase
    {
        ConformanceCase(.uploads, "length-\(name)", "\(title): never looks whole", on: [.http1]) { run in
            let received = Counter()
            try await run.raw { connection in
                _ = try await connection.readHead()
                while let bytes = try await connection.read() { received.add(bytes.count) }
            } _: { client in
                try await client.expectFailure(
                    .bodyUnavailable, method: .post, body: .stream(length: announced) { stream(chunks) })
                try expect(
                    received.value < announced, "fewer than \(announced) bytes at the server", "\(received.value)")
            }
        }
    }

    private static func failing(_ name: String, _ title: String, _ body: RequestBody) -> ConformanceCase {
        ConformanceCase(.uploads, name, "\(title): the error is its own", on: network) { run in
            try await run.serve {
                ConformanceReply(.ok, [:], "\(try await $0.body())")
            } _: { client in
                let error = try await client.expectFailure(.bodyUnavailable, method: .post, body: body)
                try expect(
                    error.underlyingError is Broken, "the source's error below",
                    "\(String(describing: error.underlyingError))")
            }
        }
    }

    /// A source with bytes; nil: it cannot be opened.
    private struct Source: RequestBodySource {
        let bytes: [UInt8]?

        func open() async throws(ConversationError) -> OpenedRequestBody {
            guard let bytes else { throw ConversationError(.bodyUnavailable, "There is no conformance source.") }
            return OpenedRequestBody(length: bytes.count) { stream(bytes.isEmpty ? [] : [bytes]) }
        }
    }
}
