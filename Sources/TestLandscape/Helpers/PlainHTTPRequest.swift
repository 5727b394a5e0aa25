import NIOCore
import NIOHTTP1
import NIOPosix

/// A POST from one part of the landscape to another, over a socket of its own on 127.0.0.1.
struct PlainHTTPRequest: Sendable {
    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]
    }

    let port: Int
    let path: String
    let type: String
    let body: [UInt8]

    /// Sends the request. Throws if the answer takes longer than ten seconds.
    func send() async throws -> Answer {
        let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Answer.self)
        let bootstrap = ClientBootstrap(group: promise.futureResult.eventLoop)
            .connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(AnswerHandler(promise: promise))
                }
            }
        let channel: any Channel
        do { channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get() } catch {
            promise.fail(error)
            throw error
        }
        channel.eventLoop.scheduleTask(in: .seconds(10)) { channel.close(promise: nil) }
        let headers: HTTPHeaders = [
            "Host": "127.0.0.1:\(port)", "Content-Type": type, "Content-Length": String(body.count),
            "Connection": "close",
        ]
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: path, headers: headers)
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        return try await promise.futureResult.get()
    }

    private final class AnswerHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private let promise: EventLoopPromise<Answer>
        private var status = 0
        private var body: [UInt8] = []

        init(promise: EventLoopPromise<Answer>) {
            self.promise = promise
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): status = Int(head.status.code)
            case .body(let buffer): body += buffer.readableBytesView
            case .end:
                promise.succeed(Answer(status: status, body: body))
                context.close(promise: nil)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            promise.fail(ChannelError.eof)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            promise.fail(error)
            context.close(promise: nil)
        }
    }
}
