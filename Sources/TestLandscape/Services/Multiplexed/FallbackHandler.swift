import NIOCore
import NIOHTTP1

/// Answers over HTTP/1.1, for clients that do not speak HTTP/2 or were told to fall back.
final class FallbackHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let connection: Connection
    private let shared: SharedState
    private var isKeptAlive = true

    init(_ connection: Connection, _ shared: SharedState) {
        self.connection = connection
        self.shared = shared
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isKeptAlive = head.isKeepAlive
            let id = shared.record(
                origin: .multiplexed, connection: connection.id, method: head.method.rawValue, target: head.uri,
                fields: head.headers.map { HeaderField(name: $0.name, value: $0.value) })
            shared.recorder.update(id) { $0.status = 200 }
        case .body: break
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        let body = context.channel.allocator.buffer(string: MultiplexedHandler.greeting("HTTP/1.1"))
        let headers: HTTPHeaders = ["content-type": "text/plain", "content-length": "\(body.readableBytes)"]
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: .ok, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if !isKeptAlive { context.close(promise: nil) }
    }
}
