import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL

/// SwiftNIO and its codecs, a connection for each body, and files read and written on the event loop.
struct BareMover: Mover {
    private let wire: Throughput.Wire
    private let port: Int
    private let context: NIOSSLContext?

    init(_ wire: Throughput.Wire, port: Int, certificate: String) throws {
        self.wire = wire
        self.port = port
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(certificate)
        configuration.applicationProtocols = [wire == .http2 ? "h2" : "http/1.1"]
        context = wire == .plain ? nil : try NIOSSLContext(configuration: configuration)
    }

    func download(_ count: Int) async throws -> String { try await move(BareBody(path: "/bytes/\(count)")) }

    func download(_ count: Int, to file: URL) async throws -> String {
        try await move(BareBody(path: "/bytes/\(count)", sink: OpenFile(writing: file)))
    }

    func upload(_ count: Int) async throws -> String { try await move(BareBody(path: "/upload", count: count)) }

    func upload(_ file: URL, _ count: Int) async throws -> String {
        try await move(BareBody(path: "/upload", count: count, source: OpenFile(reading: file)))
    }

    private func move(_ body: BareBody) async throws -> String {
        let (context, wire, authority) = (context, wire, "127.0.0.1:\(port)")
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if wire == .http2 {
            let (channel, multiplexer) = try await bootstrap.connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: nil))
                    }
                    var configuration = NIOHTTP2Handler.Configuration()
                    configuration.stream.targetWindowSize = 1 << 20
                    configuration.connection.initialSettings = [
                        HTTP2Setting(parameter: .initialWindowSize, value: 1 << 20)
                    ]
                    let multiplexer = try channel.pipeline.syncOperations.configureAsyncHTTP2Pipeline(
                        mode: .client, configuration: configuration,
                        streamInitializer: { $0.eventLoop.makeSucceededVoidFuture() })
                    return (channel, multiplexer)
                }
            }
            defer { channel.close(promise: nil) }
            let answer = try await multiplexer.openStream { stream in
                stream.eventLoop.makeCompletedFuture {
                    let promise = stream.eventLoop.makePromise(of: String.self)
                    try stream.pipeline.syncOperations.addHandlers([
                        HTTP2FramePayloadToHTTP1ClientCodec(httpProtocol: .https),
                        BareTransfer(body, authority, promise),
                    ])
                    return promise.futureResult
                }
            }
            return try await answer.get()
        }
        let (channel, answer) = try await bootstrap.connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                if let context {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: nil))
                }
                let promise = channel.eventLoop.makePromise(of: String.self)
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                try channel.pipeline.syncOperations.addHandler(BareTransfer(body, authority, promise))
                return (channel, promise.futureResult)
            }
        }
        defer { channel.close(promise: nil) }
        return try await answer.get()
    }
}

/// What is moved: `count` bytes up, of the pattern or of a file; or down, into a digest or a file.
struct BareBody: Sendable {
    let path: String
    var count = 0
    var source: OpenFile?
    var sink: OpenFile?
}

/// One request, whose body is written as fast as the channel takes it.
final class BareTransfer: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let body: BareBody
    private let authority: String
    private let promise: EventLoopPromise<String>
    private var left: Int
    private var isEnded = false
    private var digest = SHA256()
    private var text = ""

    init(_ body: BareBody, _ authority: String, _ promise: EventLoopPromise<String>) {
        self.body = body
        self.authority = authority
        self.promise = promise
        left = body.count
    }

    func channelActive(context: ChannelHandlerContext) {
        var headers: HTTPHeaders = ["Host": authority]
        if left > 0 { headers.add(name: "Content-Length", value: "\(left)") }
        let head = HTTPRequestHead(
            version: .http1_1, method: left > 0 ? .PUT : .GET, uri: body.path, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        feed(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        feed(context)
        context.fireChannelWritabilityChanged()
    }

    private func feed(_ context: ChannelHandlerContext) {
        do {
            while left > 0, context.channel.isWritable {
                let part = try body.source?.read() ?? ByteBuffer(bytes: Pattern.block)
                // Writing may come back here.
                left -= part.readableBytes
                context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(part))), promise: nil)
            }
        } catch { return promise.fail(error) }
        guard left == 0, !isEnded else { return }
        isEnded = true
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: break
        case .body(let buffer):
            if body.count > 0 {
                text += String(buffer: buffer)
            } else if let sink = body.sink {
                do { try sink.write(buffer) } catch { promise.fail(error) }
            } else {
                buffer.withUnsafeReadableBytes { digest.update(bufferPointer: $0) }
            }
        case .end: promise.succeed(body.count > 0 ? text : Memory.hex(digest.finalize()))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }
    func handlerRemoved(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
}
