import Crypto
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// Large bodies both ways over HTTP/2: a channel for each stream, no faster than the client's windows.
enum HTTP2BodyServer {
    /// - Returns: the port
    static func start(certificate: String, key: String, on group: any EventLoopGroup) throws -> Int {
        let context = try NIOSSLContext.server("h2", certificate: certificate, key: key)
        let server = try ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: context),
                        NIOHTTP2Handler(mode: .server, eventLoop: channel.eventLoop) { stream in
                            stream.eventLoop.makeCompletedFuture {
                                try stream.pipeline.syncOperations.addHandler(BodyStreamHandler())
                            }
                        },
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        return server.localAddress?.port ?? 0
    }
}

/// `/bytes/N`, and the digest of what is put.
private final class BodyStreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private var digest = SHA256()
    private var download = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let content):
            let path = content.headers.first(name: ":path") ?? "/"
            guard path.hasPrefix("/bytes/"), let count = Int(path.dropFirst(7)) else {
                if content.headers.first(name: "expect") != nil { head("100", nil, context) }
                if content.endStream { answer(context) }
                return
            }
            head("200", count, context)
            download = count
            feed(context)
        case .data(let content):
            if case .byteBuffer(let buffer) = content.data {
                buffer.withUnsafeReadableBytes { digest.update(bufferPointer: $0) }
            }
            if content.endStream { answer(context) }
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }

    func channelWritabilityChanged(context: ChannelHandlerContext) { feed(context) }

    private func head(_ status: String, _ length: Int?, _ context: ChannelHandlerContext) {
        var headers: HPACKHeaders = [":status": status]
        if let length { headers.add(name: "content-length", value: "\(length)") }
        context.writeAndFlush(wrapOutboundOut(.headers(.init(headers: headers))), promise: nil)
    }

    private func feed(_ context: ChannelHandlerContext) {
        while download > 0, context.channel.isWritable {
            let count = min(download, ServerHandler.block.count)
            // Writing may come back here.
            download -= count
            let bytes = context.channel.allocator.buffer(bytes: ServerHandler.block[..<count])
            context.writeAndFlush(
                wrapOutboundOut(.data(.init(data: .byteBuffer(bytes), endStream: download == 0))), promise: nil)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        let text = digest.finalize().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        head("200", text.utf8.count, context)
        let bytes = context.channel.allocator.buffer(string: text)
        context.writeAndFlush(wrapOutboundOut(.data(.init(data: .byteBuffer(bytes), endStream: true))), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
