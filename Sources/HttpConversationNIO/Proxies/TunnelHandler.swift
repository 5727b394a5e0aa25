import HttpConversation
import NIOCore
import NIOTLS

/// Stands in the pipeline where the connection to a proxy ends and the one to the server begins, until that is there.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The tunnel is there: sent along the pipeline.
    struct Established: Sendable {}

    private let proxy: ProxyServer
    private var negotiation: any TunnelNegotiation
    /// Adds what speaks to the server, after this handler.
    private let equip: (ChannelHandlerContext) throws -> Void
    private var context: ChannelHandlerContext?
    private var buffer = ByteBuffer()
    private var isSecured: Bool
    private var isWanted = false
    private var hasBegun = false
    private var isDone = false

    init(
        _ negotiation: any TunnelNegotiation, through proxy: ProxyServer,
        equip: @escaping (ChannelHandlerContext) throws -> Void
    ) {
        self.negotiation = negotiation
        self.proxy = proxy
        self.equip = equip
        isSecured = proxy.kind != .https
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// The TCP connection won.
    func begin() {
        isWanted = true
        open()
    }

    private func open() {
        guard let context, isWanted, isSecured, !hasBegun, !isDone else { return }
        hasBegun = true
        send(negotiation.opening(), context)
        // What came before it was asked for anything.
        if buffer.readableBytes > 0 { fail(unexpected, context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // TLS with the proxy is nothing for those who wait for TLS with the server.
        if !isDone, case TLSUserEvent.handshakeCompleted = event {
            isSecured = true
            return open()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isDone { return context.fireChannelRead(data) }
        var more = Self.unwrapInboundIn(data)
        buffer.writeBuffer(&more)
        guard hasBegun else { return }
        negotiate(context)
    }

    private func negotiate(_ context: ChannelHandlerContext) {
        do throws(ConversationError) {
            switch try negotiation.received(&buffer) {
            case .more: break
            // Nothing is due before it has heard what comes next.
            case _ where buffer.readableBytes > 0: throw unexpected
            case .send(let bytes): send(bytes, context)
            case .established: finish(context)
            }
        } catch {
            fail(error, context)
        }
    }

    private var unexpected: ConversationError {
        ProxyFailure.handshake(proxy, "it sent bytes where it had nothing to say")
    }

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(Self.wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    private func finish(_ context: ChannelHandlerContext) {
        isDone = true
        do { try equip(context) } catch {
            return context.fireErrorCaught(error)
        }
        context.fireUserInboundEventTriggered(Established())
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    // MARK: The end

    private func fail(_ error: ConversationError, _ context: ChannelHandlerContext) {
        isDone = true
        context.fireErrorCaught(error)
        // Whoever listens has closed it by now, if anybody does.
        self.context?.closeWithoutWaiting()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isDone { return context.fireErrorCaught(error) }
        fail(ProxyFailure.reaching(proxy, error), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isDone {
            fail(
                ProxyFailure.handshake(
                    proxy,
                    hasBegun
                        ? "it closed the connection without making a tunnel" : "it closed the connection at once"),
                context)
        }
        context.fireChannelInactive()
    }
}

@available(*, unavailable)
extension TunnelHandler: Sendable {}
