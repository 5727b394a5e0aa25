import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// SwiftNIO and its HTTP/1.1 codecs with the least that makes an async call of them: one connection per task, one
/// continuation per request, no pool, no limits, no errors to speak of.
struct BareClient: Client {
    private let connections: [BareConnection]
    /// The threads of the connections, for tasks that run there.
    private let loops: [LoopExecutor]

    /// - Parameters:
    ///   - certificate: of the server of HTTP/1.1 over TLS; nil: without TLS
    ///   - isOnLoops: whether each task runs on the thread of its connection, so that no request changes threads
    init(port: Int, connections count: Int, certificate: String? = nil, isOnLoops: Bool = false) async throws {
        let context: NIOSSLContext? =
            if let certificate { try await NIOSSLContext.client("http/1.1", trusting: certificate) } else { nil }
        var connections: [BareConnection] = []
        for _ in 0..<count {
            connections.append(
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(host: "127.0.0.1", port: port) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            let handler = BareHandler()
                            if let context {
                                try channel.pipeline.syncOperations.addHandler(
                                    NIOSSLClientHandler(context: context, serverHostname: nil))
                            }
                            try channel.pipeline.syncOperations.addHTTPClientHandlers()
                            try channel.pipeline.syncOperations.addHandler(handler)
                            return BareConnection(
                                handler: NIOLoopBound(handler, eventLoop: channel.eventLoop), port: port,
                                eventLoop: channel.eventLoop)
                        }
                    })
        }
        self.connections = connections
        loops = isOnLoops ? connections.map { LoopExecutor($0.eventLoop) } : []
    }

    func fetch(_ task: Int) async throws -> Int { try await connections[task].fetch() }
    func executor(_ task: Int) -> (any TaskExecutor)? { loops.isEmpty ? nil : loops[task] }
}

struct BareConnection: Sendable {
    let handler: NIOLoopBound<BareHandler>
    let port: Int
    let eventLoop: any EventLoop

    func fetch() async throws -> Int {
        var headers = HTTPHeaders()
        headers.reserveCapacity(4)
        headers.add(name: "Host", value: "127.0.0.1:\(port)")
        headers.add(name: "Accept", value: "*/*")
        headers.add(name: "Accept-Encoding", value: "gzip, deflate")
        headers.add(name: "User-Agent", value: "HttpConversation")
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/json", headers: headers)
        let bytes: [UInt8] = try await withCheckedThrowingContinuation { continuation in
            eventLoop.execute { handler.value.send(head, continuation) }
        }
        return bytes.count
    }
}

final class BareHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private var context: ChannelHandlerContext?
    private var continuation: CheckedContinuation<[UInt8], any Error>?
    private var body: [UInt8] = []

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func send(_ head: HTTPRequestHead, _ continuation: CheckedContinuation<[UInt8], any Error>) {
        self.continuation = continuation
        context?.write(wrapOutboundOut(.head(head)), promise: nil)
        context?.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: body = []
        case .body(let buffer): body += buffer.readableBytesView
        case .end:
            continuation?.resume(returning: body)
            continuation = nil
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        continuation?.resume(throwing: error)
        continuation = nil
    }
}
