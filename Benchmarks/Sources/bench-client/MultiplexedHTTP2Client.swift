import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// swift-nio-http2 as its documentation has it, and no more: a channel for each stream.
struct MultiplexedHTTP2Client: Client {
    private let multiplexer: NIOHTTP2Handler.AsyncStreamMultiplexer<Void>
    private let channel: any Channel
    private let authority: String

    init(port: Int, certificate: String) async throws {
        let context = try await NIOSSLContext.client("h2", trusting: certificate)
        authority = "127.0.0.1:\(port)"
        (channel, multiplexer) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: nil))
                    let multiplexer = try channel.pipeline.syncOperations.configureAsyncHTTP2Pipeline(
                        mode: .client, streamInitializer: { $0.eventLoop.makeSucceededVoidFuture() })
                    return (channel, multiplexer)
                }
            }
    }

    func fetch(_ task: Int) async throws -> Int {
        let request = BareHTTP2.request(authority)
        let body = try await multiplexer.openStream { stream in
            let promise = stream.eventLoop.makePromise(of: [UInt8].self)
            return stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(BareStreamHandler(request, promise))
                return promise.futureResult
            }
        }
        return try await body.get().count
    }
}

final class BareStreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let headers: HPACKHeaders
    private let promise: EventLoopPromise<[UInt8]>
    private var body: [UInt8] = []

    init(_ headers: HPACKHeaders, _ promise: EventLoopPromise<[UInt8]>) {
        self.headers = headers
        self.promise = promise
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(
            wrapOutboundOut(.headers(.init(headers: headers, endStream: true))), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let content): if content.endStream { promise.succeed(body) }
        case .data(let content):
            guard case .byteBuffer(let buffer) = content.data else { return }
            body += buffer.readableBytesView
            if content.endStream { promise.succeed(body) }
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }
    func handlerRemoved(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
}
