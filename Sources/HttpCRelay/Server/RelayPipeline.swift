import NIOCore
import NIOHTTP1

/// The handlers of a client's connection: HTTP, and after a change of protocol the bytes as they are.
enum RelayPipeline {
    private typealias Decoder = ByteToMessageHandler<HTTPRequestDecoder>

    /// The number of bytes that a client may send after a request for another protocol before that is agreed on.
    private static let earlyBytes = 64 << 10

    /// Adds the handlers for HTTP. Runs on the channel's event loop.
    static func install(on channel: any Channel, _ limits: RelayLimits) throws {
        var encoding = HTTPResponseEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false
        var decoding = NIOHTTPDecoderLimitConfiguration()
        decoding.maxHeaderFieldSize = limits.headBytes
        decoding.maxHeaderListSize = limits.headBytes
        decoding.maxHeaderFieldCount = limits.fields
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: decoding)
        let sync = channel.pipeline.syncOperations
        try sync.addHandlers([
            HTTPResponseEncoder(configuration: encoding),
            Decoder(decoder, maximumBufferSize: limits.headBytes + earlyBytes),
            NIOHTTPResponseHeadersValidator(), ConnectionGuard(headTime: limits.headTime),
        ])
    }

    /// Passes on the client's bytes unchanged from now on, as pieces of a body.
    static func upgrade(_ channel: any Channel) async throws {
        try await channel.eventLoop.flatSubmit {
            do {
                let sync = channel.pipeline.syncOperations
                let decoder = try sync.handler(type: Decoder.self)
                try sync.addHandler(UpgradedBytes(), position: .after(decoder))
                // The bytes that came early are delivered with the end of a read.
                return sync.removeHandler(decoder).map { channel.pipeline.fireChannelReadComplete() }
            } catch { return channel.eventLoop.makeFailedFuture(error) }
        }.get()
    }
}

/// Passes bytes on as pieces of a body.
private final class UpgradedBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(wrapInboundOut(.body(unwrapInboundIn(data))))
    }
}
