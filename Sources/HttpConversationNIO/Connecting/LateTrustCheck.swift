import NIOCore
import NIOSSL
import NIOTLS

/// Asks filters about a server that is not verified: after the handshake, before its completion is reported.
final class LateTrustCheck: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let check: (NIOSSLCertificate?, any Channel) -> EventLoopFuture<Void>
    private let tls: NIOSSLClientHandler
    private let gate: HandshakeGate
    private var isChecking = false
    private var reads: [NIOAny] = []

    init(
        _ tls: NIOSSLClientHandler, _ gate: HandshakeGate,
        _ check: @escaping (NIOSSLCertificate?, any Channel) -> EventLoopFuture<Void>
    ) {
        self.tls = tls
        self.gate = gate
        self.check = check
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted(let negotiated) = event else {
            return context.fireUserInboundEventTriggered(event)
        }
        isChecking = true
        gate.shut()
        let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        check(tls.peerCertificate, context.channel).hop(to: context.eventLoop).whenComplete { result in
            let (handler, context) = box.value
            handler.finish(result, negotiated, context)
        }
    }

    private func finish(_ result: Result<Void, any Error>, _ negotiated: String?, _ context: ChannelHandlerContext) {
        isChecking = false
        let reads = reads
        self.reads = []
        if case .failure(let error) = result {
            context.fireErrorCaught(error)
            return gate.refuse()
        }
        gate.open()
        context.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: negotiated))
        for data in reads { context.fireChannelRead(data) }
        if !reads.isEmpty { context.fireChannelReadComplete() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isChecking { reads.append(data) } else { context.fireChannelRead(data) }
    }
}

@available(*, unavailable)
extension LateTrustCheck: Sendable {}
