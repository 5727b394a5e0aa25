import HTTPTypes
import HummingbirdCore
import NIOCore

/// Plain resources: JSON, bytes, streams, statuses.
struct ResourceEndpoints: Service {
    private struct Item: Encodable {
        let greeting = "hello"
        let items = [1, 2, 3]
        let nested = ["umlaut": "ä", "euro": "€"]

        private enum CodingKeys: CodingKey {
            case greeting, items, nested
        }
    }

    func register(in table: inout EndpointTable) {
        // Encoded only once, because benchmarks request it.
        let json = (try? JSONBody.bytes(Item())).map { ByteBuffer(bytes: $0) } ?? ByteBuffer()
        table.add("json") { _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: json))
        }
        table.add("status", Self.status)
        table.add("bytes", Self.bytes)
        table.add("stream", Self.stream)
        table.add("ticks", Self.ticks)
        table.add("head-only", Self.headOnly)
    }

    private static func status(_ exchange: ServerExchange) -> Response {
        guard let code = exchange.segmentNumber(1, in: 200...999) else {
            return .text("which status?\n", status: .notFound)
        }
        let status = HTTPResponse.Status(code: code)
        guard code != 204, code != 304, let body = exchange.parameter("body") else { return Response(status: status) }
        return .text(body, status: status)
    }

    private static func bytes(_ exchange: ServerExchange) -> Response {
        guard let count = exchange.segmentNumber(1, in: 0...(1 << 40)) else {
            return .text("how many bytes?\n", status: .notFound)
        }
        let body = ResponseBody(contentLength: count) { writer in
            try await BytePattern.pieces(count: count) { try await writer.write($0) }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/octet-stream"], body: body)
    }

    private static func stream(_ exchange: ServerExchange) -> Response {
        guard let count = exchange.segmentNumber(1, in: 0...(1 << 40)) else {
            return .text("how many bytes?\n", status: .notFound)
        }
        let size = exchange.number("chunk", default: 8192, in: 1...65_521)
        let body = ResponseBody { writer in
            try await BytePattern.pieces(count: count, size: size) { try await exchange.write($0, to: &writer) }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/octet-stream"], body: body)
    }

    /// Server-sent events: `count` of them, or until the client closes.
    private static func ticks(_ exchange: ServerExchange) -> Response {
        let every = Duration.milliseconds(exchange.number("every", default: 1000, in: 1...60_000))
        let count = exchange.number("count", default: .max, in: 0...(.max))
        let connection = exchange.connection
        let body = ResponseBody { writer in
            for tick in 0..<count where !connection.isGone {
                try await writer.write(ByteBuffer(string: "id: \(tick)\ndata: tick \(tick)\n\n"))
                if tick < count - 1 { await connection.cancellingWhenGone { try? await Task.sleep(for: every) } }
                try Task.checkCancellation()
                if connection.isGone { throw ChannelError.inputClosed }
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: body)
    }

    /// Answers HEAD with a length. GET is not allowed.
    private static func headOnly(_ exchange: ServerExchange) -> Response {
        guard exchange.method == "HEAD", let length = exchange.segmentNumber(1, in: 0...(1 << 40)) else {
            return Response.text("only HEAD, with a length\n", status: .methodNotAllowed).adding(.allow, "HEAD")
        }
        return Response(status: .ok, headers: [.contentLength: "\(length)", .contentType: "application/octet-stream"])
    }

    let contents = [
        ContentsEntry("/json", "a small JSON document"),
        ContentsEntry("/status/{code}?body=…", "any status from 200"),
        ContentsEntry("/bytes/{n}", "n known bytes with Content-Length"),
        ContentsEntry("/stream/{n}?chunk=8192", "the same bytes, chunked"),
        ContentsEntry("/ticks?every=1000&count=…", "server-sent events, endless"),
        ContentsEntry("/head-only/{n}", "a length for HEAD, 405 for the rest"),
    ]
}
