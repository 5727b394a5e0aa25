import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// The small resource over HTTP/2, and bodies that stop after one window.
enum HTTP2Server {
    /// - Returns: the port
    static func start(certificate: String, key: String, on group: any EventLoopGroup) throws -> Int {
        let context = try NIOSSLContext.server("h2", certificate: certificate, key: key)
        let stalls = StallCount()
        let server = try ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    var connection = NIOHTTP2Handler.ConnectionConfiguration()
                    connection.initialSettings = [
                        HTTP2Setting(parameter: .maxConcurrentStreams, value: 2000),
                        HTTP2Setting(parameter: .maxHeaderListSize, value: 16 << 10),
                    ]
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: context),
                        NIOHTTP2Handler(mode: .server, connectionConfiguration: connection), FrameHandler(stalls),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        return server.localAddress?.port ?? 0
    }
}

/// How many bodies are under way that will stop.
final class StallCount: @unchecked Sendable {
    // One event loop uses it.
    var waiting: [() -> Void] = []
    var unsent = 0
}

/// Answers on frames, without a channel for each stream.
final class FrameHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private static let json = #"{"id":4711,"name":"Example","tags":["small","json"],"price":12.5,"available":true}"#
    private let stalls: StallCount

    init(_ stalls: StallCount) { self.stalls = stalls }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard case .headers(let content) = frame.payload else { return }
        let path = content.headers.first(name: ":path") ?? "/"
        if path.hasPrefix("/stall") { return stall(frame.streamID, context) }
        if path.hasPrefix("/barrier"), stalls.unsent > 0 {
            stalls.waiting.append { self.answer(frame.streamID, context) }
        } else {
            answer(frame.streamID, context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }

    private func answer(_ id: HTTP2StreamID, _ context: ChannelHandlerContext) {
        let headers: HPACKHeaders = [
            ":status": "200", "content-type": "application/json", "content-length": "\(Self.json.utf8.count)",
        ]
        context.write(
            wrapOutboundOut(HTTP2Frame(streamID: id, payload: .headers(.init(headers: headers)))), promise: nil)
        let body = context.channel.allocator.buffer(string: Self.json)
        context.writeAndFlush(
            wrapOutboundOut(
                HTTP2Frame(streamID: id, payload: .data(.init(data: .byteBuffer(body), endStream: true)))),
            promise: nil)
    }

    /// As much of a body as the client's window takes, and no more.
    private func stall(_ id: HTTP2StreamID, _ context: ChannelHandlerContext) {
        let headers: HPACKHeaders = [":status": "200"]
        context.write(
            wrapOutboundOut(HTTP2Frame(streamID: id, payload: .headers(.init(headers: headers)))), promise: nil)
        stalls.unsent += 1
        let body = context.channel.allocator.buffer(repeating: 7, count: 128 << 10)
        context.writeAndFlush(
            wrapOutboundOut(HTTP2Frame(streamID: id, payload: .data(.init(data: .byteBuffer(body))))), promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A window that is used up: all that a stalled reader takes has left.
        if let event = event as? NIOHTTP2WindowUpdatedEvent, event.streamID != .rootStream,
            event.outboundWindowSize == 0
        {
            stalls.unsent -= 1
            if stalls.unsent == 0 {
                for waiting in stalls.waiting { waiting() }
                stalls.waiting = []
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
