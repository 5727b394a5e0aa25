import HttpConversation
import NIOCore
import NIOTLS

/// Negotiates a tunnel with a proxy. Then it installs the handlers for the server and removes itself.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// An event that is sent along the pipeline when the tunnel is open.
    struct Established: Sendable {}

    private let proxy: ProxyServer
    private var negotiation: any TunnelNegotiation
    /// Adds the handlers for the server after this one.
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

    /// Starts the negotiation: the TCP connection won the race.
    func begin() {
        isWanted = true
        open()
    }

    private func open() {
        guard let context, isWanted, isSecured, !hasBegun, !isDone else { return }
        hasBegun = true
        send(negotiation.opening(), context)
        // The proxy sent bytes before we asked for anything.
        if buffer.readableBytes > 0 { fail(unexpected, context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The handlers that wait for TLS with the server must not see the handshake with the proxy.
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
            // The proxy must not send more bytes until it has our next message.
            case _ where buffer.readableBytes > 0: throw unexpected
            case .send(let bytes): send(bytes, context)
            case .established: finish(context)
            }
        } catch {
            fail(error, context)
        }
    }

    private var unexpected: ConversationError {
        ProxyFailure.handshake(proxy, "it sent bytes that the protocol does not allow at this point")
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
        // A handler that saw the error may have closed the connection already.
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
