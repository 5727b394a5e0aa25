import NIOCore
import NIOHTTP1
import NIOSSL
import X509

/// A handler between the HTTP/1 decoder and the typed layer. It sees every head as it was on the wire.
final class RecordingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connection: Connection
    private let shared: SharedState
    private var current: Int?
    /// The subject of the client's certificate. It is known after the handshake, that is with the first request.
    private var certificate: String??

    init(connection: Connection, shared: SharedState) {
        self.connection = connection
        self.shared = shared
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): received(head, context.pipeline.syncOperations)
        case .body(let buffer): shared.recorder.update(current) { $0.bodyLength += buffer.readableBytes }
        case .end: shared.recorder.update(current) { $0.isComplete = true }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data), head.status.code >= 200 {
            shared.answered(on: connection, status: Int(head.status.code))
        }
        context.write(data, promise: promise)
    }

    private func received(_ head: HTTPRequestHead, _ pipeline: ChannelPipeline.SynchronousOperations) {
        let fields = head.headers.map { HeaderField(name: $0.name, value: $0.value) }
        current = shared.record(
            origin: connection.origin, connection: connection.id,
            method: head.method.rawValue, target: head.uri, certificate: clientCertificate(pipeline), fields: fields)
        connection.enqueue(
            IncomingRequest(method: head.method.rawValue, target: head.uri, fields: fields, recordID: current))
    }

    private func clientCertificate(_ pipeline: ChannelPipeline.SynchronousOperations) -> String? {
        if let certificate { return certificate }
        var subject: String?
        if connection.origin.scheme == "https", let shown = try? pipeline.nioSSL_peerCertificate(),
            let bytes = try? shown.toDERBytes(), let parsed = try? Certificate(derEncoded: bytes)
        {
            subject = "\(parsed.subject)"
        }
        certificate = .some(subject)
        return subject
    }
}
