import NIOCore
import NIOHTTP1

/// Sits between the HTTP/1 decoder and the typed layer: sees every head as it was on the wire.
final class RecordingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connection: Connection
    private let world: World
    private var current: Int?

    init(connection: Connection, world: World) {
        self.connection = connection
        self.world = world
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): received(head)
        case .body(let buffer): world.recorder.update(current) { $0.bodyLength += buffer.readableBytes }
        case .end: world.recorder.update(current) { $0.isComplete = true }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data), head.status.code >= 200 {
            world.answered(on: connection, status: Int(head.status.code))
        }
        context.write(data, promise: promise)
    }

    private func received(_ head: HTTPRequestHead) {
        let fields = head.headers.map { HeaderField(name: $0.name, value: $0.value) }
        current = world.record(
            origin: connection.origin, connection: connection.id,
            method: head.method.rawValue, target: head.uri, fields: fields)
        connection.enqueue(
            IncomingRequest(method: head.method.rawValue, target: head.uri, fields: fields, recordID: current))
    }
}
