import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// swift-nio-http2 with the least that makes an async call of it: one connection, one continuation per stream, no pool,
/// no limits, no errors to speak of.
struct BareHTTP2Client: Client {
    private let handler: NIOLoopBound<BareFrameHandler>
    private let eventLoop: any EventLoop
    private let authority: String

    init(port: Int, certificate: String) async throws {
        let context = try await NIOSSLContext.client("h2", trusting: certificate)
        authority = "127.0.0.1:\(port)"
        (handler, eventLoop) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = BareFrameHandler()
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLClientHandler(context: context, serverHostname: nil), NIOHTTP2Handler(mode: .client),
                        handler,
                    ])
                    return (NIOLoopBound(handler, eventLoop: channel.eventLoop), channel.eventLoop)
                }
            }
    }

    func fetch(_ task: Int) async throws -> Int {
        let headers = BareHTTP2.request(authority)
        let bytes: [UInt8] = try await withCheckedThrowingContinuation { continuation in
            eventLoop.execute { handler.value.send(headers, continuation) }
        }
        return bytes.count
    }
}

final class BareFrameHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private var context: ChannelHandlerContext?
    private var continuations: [HTTP2StreamID: CheckedContinuation<[UInt8], any Error>] = [:]
    private var bodies: [HTTP2StreamID: [UInt8]] = [:]
    private var nextID = HTTP2StreamID(1)
    private var windowUsed = 0

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func send(_ headers: HPACKHeaders, _ continuation: CheckedContinuation<[UInt8], any Error>) {
        let id = nextID
        nextID = id.advanced(by: 2)
        continuations[id] = continuation
        let frame = HTTP2Frame(streamID: id, payload: .headers(.init(headers: headers, endStream: true)))
        context?.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let content): if content.endStream { finish(frame.streamID) }
        case .data(let content):
            guard case .byteBuffer(let buffer) = content.data else { return }
            bodies[frame.streamID, default: []] += buffer.readableBytesView
            windowUsed += buffer.readableBytes
            if windowUsed > 32_768 {
                let update = HTTP2Frame(streamID: .rootStream, payload: .windowUpdate(windowSizeIncrement: windowUsed))
                context.write(wrapOutboundOut(update), promise: nil)
                windowUsed = 0
            }
            if content.endStream { finish(frame.streamID) }
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }

    private func finish(_ id: HTTP2StreamID) {
        continuations.removeValue(forKey: id)?.resume(returning: bodies.removeValue(forKey: id) ?? [])
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        for continuation in continuations.values { continuation.resume(throwing: error) }
        continuations = [:]
    }
}
