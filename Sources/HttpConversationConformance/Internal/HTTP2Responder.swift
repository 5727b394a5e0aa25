import HTTPTypes
import NIOCore
import NIOHPACK

/// Reads requests of HTTP/2, one after the other, and writes the answers of a case.
final class HTTP2Responder: @unchecked Sendable {
    // Only its connection's task uses it: the handler runs in that task.
    private let peer: HTTP2Peer
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private var requests = 0

    init(peer: HTTP2Peer) { self.peer = peer }

    func run(_ handler: ServerExchange.Handler) async throws {
        while true {
            let frame = try await peer.read()
            guard frame.type == HTTP2Peer.headers else { continue }
            var block = ByteBuffer(bytes: frame.payload)
            let headers = try decoder.decodeHeaders(from: &block)
            let exchange = ServerExchange(
                method: headers.first(name: ":method") ?? "", path: headers.first(name: ":path") ?? "",
                fields: headers.filter { !$0.name.hasPrefix(":") }.map { ($0.name, $0.value) },
                authority: headers[":authority"].joined(separator: "|"),
                place: (peer.connection.index, requests),
                body: { frame.endsStream ? [] : try await self.read(frame.stream) },
                interim: { status, fields in
                    try await self.peer.write(HTTP2Peer.head(frame.stream, Self.head(status, fields)))
                })
            let reply = try await handler(exchange)
            requests += 1
            try await write(reply, on: frame.stream, to: exchange.method)
            if reply.ending == .cut { return }
        }
    }

    private func read(_ stream: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let frame = try await peer.read()
            guard frame.stream == stream else { continue }
            if frame.type == HTTP2Peer.rstStream { throw ServerConnection.Ended() }
            guard frame.type == HTTP2Peer.data else { continue }
            bytes += frame.payload
            if frame.endsStream { return bytes }
            if frame.payload.isEmpty { continue }
            for id in [0, stream] {
                try await peer.write(
                    HTTP2Peer.frame(HTTP2Peer.windowUpdate, stream: id, HTTP2Peer.number(frame.payload.count)))
            }
        }
    }

    private func write(_ reply: ConformanceReply, on stream: Int, to method: String) async throws {
        var fields = reply.fields
        if reply.announcesLength, reply.status.code != 204 {
            fields[.contentLength] = "\(reply.count + (reply.ending == .whole ? 0 : 1))"
        }
        let hasNone = method == "HEAD" || [204, 304].contains(reply.status.code) || reply.count == 0
        let ends = hasNone && reply.ending == .whole
        try await peer.write(HTTP2Peer.head(stream, Self.head(reply.status.code, fields), ends: ends))
        if ends { return }
        let frames = reply.pieces.flatMap { piece in
            stride(from: 0, to: piece.count, by: 16_384).map { Array(piece[$0..<min($0 + 16_384, piece.count)]) }
        }
        for (index, bytes) in frames.enumerated() {
            try await peer.write(
                HTTP2Peer.body(stream, bytes, ends: index == frames.count - 1 && reply.ending == .whole))
        }
    }

    private static func head(_ status: Int, _ fields: HTTPFields) -> [(String, String)] {
        [(":status", "\(status)")] + fields.map { ($0.name.canonicalName, $0.value) }
    }
}
