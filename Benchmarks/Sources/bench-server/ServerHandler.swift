import Crypto
import NIOCore

/// As little HTTP/1.1 as the benchmarks need, as fast as it is easily had.
final class ServerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var received = ByteBuffer()
    private var upload: (remaining: Int, digest: SHA256)?
    private var download = 0

    private static let json = #"{"id":4711,"name":"Example","tags":["small","json"],"price":12.5,"available":true}"#
    static let block: [UInt8] = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        if received.readableBytes == 0 { received = buffer } else { received.writeBuffer(&buffer) }
        while step(context) {}
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }

    private func step(_ context: ChannelHandlerContext) -> Bool {
        if upload != nil { return takeBody(context) }
        let view = received.readableBytesView
        guard download == 0, let end = Self.endOfHead(view) else { return false }
        let head = String(decoding: view[view.startIndex..<end], as: UTF8.self)
        received.moveReaderIndex(forwardBy: end - view.startIndex)
        received.discardReadBytes()
        respond(to: head, context)
        return true
    }

    private static func endOfHead(_ view: ByteBufferView) -> Int? {
        var index = view.startIndex
        while index + 3 < view.endIndex {
            if view[index] == 13, view[index + 1] == 10, view[index + 2] == 13, view[index + 3] == 10 {
                return index + 4
            }
            index += 1
        }
        return nil
    }

    private func respond(to head: String, _ context: ChannelHandlerContext) {
        let path = head.split(separator: " ", maxSplits: 2).dropFirst().first ?? "/"
        if let length = Self.contentLength(head), length > 0 {
            upload = (length, SHA256())
            if head.contains("100-continue") { send("HTTP/1.1 100 Continue\r\n\r\n", context); context.flush() }
        } else if path.hasPrefix("/bytes/"), let count = Int(path.dropFirst(7)) {
            send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n", context)
            download = count
            feed(context)
        } else if path.hasPrefix("/basic"), !head.contains("Authorization: Basic ") {
            send(
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"bench\"\r\nContent-Length: 0\r\n\r\n",
                context)
        } else if path.hasPrefix("/bearer"), !head.contains("Authorization: Bearer ") {
            send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", context)
        } else {
            let cookie = path.hasPrefix("/cookie") ? "Set-Cookie: session=0123456789abcdef; Path=/\r\n" : ""
            send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\(cookie)Content-Length: \(Self.json.utf8.count)\r\n\r\n\(Self.json)",
                context)
        }
    }

    private static func contentLength(_ head: String) -> Int? {
        guard let range = head.firstRange(of: "Content-Length: ") else { return nil }
        return Int(head[range.upperBound...].prefix { $0.isNumber })
    }

    private func takeBody(_ context: ChannelHandlerContext) -> Bool {
        guard var (remaining, digest) = upload,
            let part = received.readSlice(length: min(remaining, received.readableBytes)),
            part.readableBytes > 0
        else { return false }
        part.withUnsafeReadableBytes { digest.update(bufferPointer: $0) }
        remaining -= part.readableBytes
        received.discardReadBytes()
        guard remaining == 0 else {
            upload = (remaining, digest)
            return true
        }
        upload = nil
        let text = digest.finalize().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)", context)
        return true
    }

    private func feed(_ context: ChannelHandlerContext) {
        while download > 0, context.channel.isWritable {
            let count = min(download, Self.block.count)
            // Writing may come back here.
            download -= count
            context.writeAndFlush(
                wrapOutboundOut(context.channel.allocator.buffer(bytes: Self.block[..<count])), promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) { feed(context) }

    private func send(_ text: String, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(context.channel.allocator.buffer(string: text)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
