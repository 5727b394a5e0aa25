import NIOCore

/// Holds traffic in both directions while filters judge a server's certificate.
///
/// It stands between TLS and the network. NIOSSL writes the client's last flight, with its certificate under TLS 1.3,
/// as soon as a burst of reads ends. It fails if bytes come in before the judgement. The closed gate prevents both.
final class HandshakeGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private var context: ChannelHandlerContext?
    private var isShut = false
    private var wantsRead = false
    private var writes: [(NIOAny, EventLoopPromise<Void>?)] = []
    private var reads: [NIOAny] = []

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        drop()
    }

    func shut() { isShut = true }

    /// Passes on the held traffic, in order.
    func open() {
        guard isShut else { return }
        isShut = false
        guard let context else { return }
        let (writes, reads) = (writes, reads)
        (self.writes, self.reads) = ([], [])
        for (data, promise) in writes { context.write(data, promise: promise) }
        if !writes.isEmpty { context.flush() }
        for data in reads { context.fireChannelRead(data) }
        if !reads.isEmpty { context.fireChannelReadComplete() }
        if wantsRead {
            wantsRead = false
            context.read()
        }
    }

    /// Closes the connection at once. TLS would wait for the server's closing alert, which could not come through the
    /// gate.
    func refuse() { context?.close(promise: nil) }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isShut { writes.append((data, promise)) } else { context.write(data, promise: promise) }
    }

    func flush(context: ChannelHandlerContext) {
        if !isShut { context.flush() }
    }

    /// Holds back reads, so that the server cannot fill the memory.
    func read(context: ChannelHandlerContext) {
        if isShut { wantsRead = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isShut { reads.append(data) } else { context.fireChannelRead(data) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isShut = false
        drop()
        context.fireChannelInactive()
    }

    private func drop() {
        let writes = writes
        (self.writes, reads) = ([], [])
        for (_, promise) in writes { promise?.fail(ChannelError.ioOnClosedChannel) }
    }
}

@available(*, unavailable)
extension HandshakeGate: Sendable {}
