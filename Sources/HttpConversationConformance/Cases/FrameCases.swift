import HTTPTypes
import HttpConversation

extension CaseList {
    /// Frames that break the rules of a connection, and frames that only seem to.
    static let frames: [ConformanceCase] =
        (HTTP2Faults.frames + HTTP2Faults.compression + HTTP2Faults.responses).map { fault in
            ends(slug(fault.name), "\(fault.name): an error", fault)
        }
        + HTTP2Faults.floods.map { ends("flood-of-\(slug($0.name))", "a flood of \($0.name): an error", $0) }
        + HTTP2Faults.whileSending.map { fault in
            ConformanceCase(
                .frames, "\(slug(fault.name))-while-sending", "\(fault.name), while a body is sent: an error",
                on: [.http2]
            ) { run in
                try await run.frames { peer in
                    _ = try await peer.readRequest()
                    _ = try await peer.read(HTTP2Peer.data)
                    try await peer.write(fault.bytes)
                    try await peer.connection.untilClosed()
                } _: { client in
                    // A body that never ends, and sends no more than the case needs.
                    let body = RequestBody.stream {
                        let pieces = Counter()
                        return RequestBodyStream {
                            if pieces.add() > 3 { try await Task.sleep(for: .seconds(3600)) }
                            return [UInt8](repeating: 1, count: 1 << 14)
                        }
                    }
                    try Client.check(await client.failure(.post, body: body), fault.codes)
                }
            }
        }
        + HTTP2Faults.harmless.map { fault in
            ConformanceCase(
                .frames, slug(fault.name) + "-is-harmless", "\(fault.name): nothing (RFC 9113 §4.1, §5.5)", on: [.http2]
            ) { run in
                try await run.frames { peer in
                    let stream = try await peer.readRequest()
                    try await peer.write(fault.bytes)
                    try await peer.respond(stream)
                    try await peer.serve()
                } _: { client in
                    for _ in 0..<2 { try await client.expect("ok", .post, body: .bytes([1])) }
                    try client.expectConnections(1)
                }
            }
        }
        + HTTP2Faults.afterTheEnd.map { fault in
            ConformanceCase(
                .frames, slug(fault.name) + "-after-the-end", "\(fault.name), after a response: it stands", on: [.http2]
            ) { run in
                try await run.frames { peer in
                    let stream = try await peer.readRequest()
                    try await peer.write(
                        HTTP2Peer.head(stream, [(":status", "200")]) + HTTP2Peer.body(stream, Array("ok".utf8))
                            + fault.bytes)
                    try await peer.serve()
                } _: { client in
                    try await client.expect("ok", .post)
                    // The next request is served, on this connection or a new one.
                    try await client.expect("ok")
                }
            }
        }

    private static func ends(_ name: String, _ title: String, _ fault: HTTP2Fault) -> ConformanceCase {
        ConformanceCase(.frames, name, title, on: [.http2]) { run in
            try await run.frames { peer in
                _ = try await peer.readRequest()
                try await peer.write(fault.bytes)
                try await peer.connection.untilClosed()
            } _: { client in
                try Client.check(await client.failure(.post, body: .bytes([1])), fault.codes)
            }
        }
    }
}
