import NIOCore
import NIOHTTP1

/// Requests with a whole URL. Each is forwarded over a connection of its own.
extension ProxyClient {
    private typealias Server = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// The fields for the connection between client and proxy only (RFC 9110 §7.6.1).
    private static let hopFields: Set<String> = [
        "connection", "proxy-connection", "proxy-authorization", "proxy-authenticate", "keep-alive", "te", "upgrade",
        "transfer-encoding", "expect",
    ]

    /// Forwards a request. Returns whether another one may come on the connection.
    mutating func forward(_ head: ProxyRequestHead, port: Int, _ id: Int) async throws -> Bool {
        let connected = try? await connect(port: port) { channel in
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            return try Server(wrappingChannelSynchronously: channel)
        }
        guard let server = connected else {
            return try await ownAnswer(head, "502 Bad Gateway", 502, [], id)
        }
        let isChunked = head.value("Transfer-Encoding") != nil
        return try await server.executeThenClose { inbound, outbound in
            if head.value("Expect") != nil { try await write("HTTP/1.1 100 Continue\r\n\r\n".utf8) }
            var fields = HTTPHeaders(
                head.fields.filter { !Self.hopFields.contains($0.name.lowercased()) }.map { ($0.name, $0.value) })
            if isChunked { fields.add(name: "Transfer-Encoding", value: "chunked") }
            fields.add(name: "Via", value: "1.1 landscape")
            try await outbound.write(
                .head(
                    HTTPRequestHead(
                        version: .http1_1, method: HTTPMethod(rawValue: head.method), uri: head.originForm,
                        headers: fields)))
            try await passBody(head, id) { try await outbound.write(.body(.byteBuffer($0))) }
            try await outbound.write(.end(nil))
            return try await passAnswer(inbound, to: head.method)
        }
    }

    /// Reads the body of a request that is answered without being forwarded.
    mutating func skipBody(_ head: ProxyRequestHead) async throws {
        try await passBody(head, nil) { _ in }
    }

    private mutating func passBody(
        _ head: ProxyRequestHead, _ id: Int?, _ pass: (ByteBuffer) async throws -> Void
    ) async throws {
        guard head.value("Transfer-Encoding") != nil else {
            var left = head.value("Content-Length").flatMap { Int($0) } ?? 0
            while left > 0, let bytes = try await reader.exactly(min(left, 1 << 16)) {
                left -= bytes.count
                if let id { proxies.saw(bytes, id) }
                try await pass(ByteBuffer(bytes: bytes))
            }
            return
        }
        while let line = try await reader.upTo("\r\n") {
            let size = String(decoding: line.dropLast(2), as: UTF8.self).prefix { $0 != ";" }
            guard let count = Int(size, radix: 16), count > 0, let bytes = try await reader.exactly(count) else {
                break
            }
            if let id { proxies.saw(bytes, id) }
            try await pass(ByteBuffer(bytes: bytes))
            _ = try await reader.exactly(2)
        }
        _ = try await reader.upTo("\r\n")
    }

    private func passAnswer(
        _ answer: NIOAsyncChannelInboundStream<HTTPClientResponsePart>, to method: String
    ) async throws -> Bool {
        var isChunked = false
        for try await part in answer {
            switch part {
            case .head(let head):
                let hasBody = method != "HEAD" && head.status != .noContent && head.status != .notModified
                isChunked = hasBody && !head.headers.contains(name: "Content-Length")
                var text = "HTTP/1.1 \(head.status.code) \(head.status.reasonPhrase)\r\n"
                for field in head.headers where !Self.hopFields.contains(field.name.lowercased()) {
                    text += "\(field.name): \(field.value)\r\n"
                }
                try await write((text + (isChunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n")).utf8)
            case .body(let bytes):
                if isChunked { try await write((String(bytes.readableBytes, radix: 16) + "\r\n").utf8) }
                try await writer.write(bytes)
                if isChunked { try await write("\r\n".utf8) }
            case .end:
                if isChunked { try await write("0\r\n\r\n".utf8) }
                return true
            }
        }
        return false
    }
}
