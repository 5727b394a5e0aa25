import HTTPTypes
import HttpConversation
import Logging
import NIOCore
import NIOHTTP1

extension HTTP1Handler {
    var isWaitingForHead: Bool { machine.isWaitingForHead }
    var isUpgraded: Bool { machine.isUpgraded }

    /// The method of a request that was sent since the last call.
    func takeSentMethod() -> HTTPRequest.Method? {
        guard let method = sentMethod else { return nil }
        sentMethod = nil
        return method
    }

    /// Notes that raw bytes arrived. Returns false if none may arrive now.
    func bytesArrived() -> Bool { machine.bytesArrived() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): receive(head)
        case .body(let buffer):
            guard exchange != nil else { return }
            burstBytes.append(buffer)
        case .end:
            guard exchange != nil, machine.running?.download == .body else { return }
            machine.receivedEnd()
            burstEnds = true
        }
    }

    /// Ends the exchange of a connection that has changed to another protocol.
    func endUpgraded() {
        guard exchange != nil, machine.isUpgraded else { return }
        machine.receivedEnd()
        burstEnds = true
    }

    private func receive(_ head: HTTPResponseHead) {
        guard let exchange else { return }
        switch machine.receivedHead(head) {
        case .interim: break
        case .sendBody: sendBody()
        case .upgraded:
            if let connection { pool.detach(connection) }
            burstHead = head
            sendBody()
        case .refuse(let refusal): refuseResponse(refusal)
        case .final:
            stopUpload()
            if head.status.code == 417, exchange.request.expectsContinue, exchange.request.isReplayable {
                self.exchange = nil
                machine.abandon()
                tearDown()
                return exchange.finish(.retryWithoutExpect)
            }
            burstHead = head
        }
    }

    private func refuseResponse(_ refusal: ExchangeProgress.Refusal) {
        if machine.expectsNothing { return endAfterResponse(refusal) }
        let cut = machine.cut
        fail(TransportFailure.exchanging(with: key, refusal, cut, isUploading: false), refusal)
    }

    /// Closes the connection after a complete response was followed by an error or by bytes. The response stands
    /// (security rule S3). Only surplus bytes are logged: a peer may close TLS as it likes.
    func endAfterResponse(_ error: any Error) {
        if !machine.isClosed, TransportFailure.isSurplus(error) {
            logger.notice(
                "a server sent more than its response: the response stands, its connection is closed",
                metadata: ["origin": "\(key.origin)"])
        }
        machine.refuseReuse()
        flushBurst()
        tearDown()
    }

    /// The end of a burst: delivers all that it brought in one hop.
    func channelReadComplete(context: ChannelHandlerContext) {
        lastProgress = .now()
        flushBurst()
        context.fireChannelReadComplete()
    }

    func flushBurst() {
        guard let exchange else { return }
        if burstEnds { return finish(exchange) }
        guard burstHead != nil || !burstBytes.isEmpty else { return }
        let head = burstHead
        let bytes = burstBytes.take()
        burstHead = nil
        isPaused = exchange.deliver(head: head, bytes: bytes, ending: nil)
    }

    private func finish(_ finished: TransportExchange) {
        let head = burstHead
        let bytes = burstBytes.take()
        clearBurst()
        exchange = nil
        isPaused = false
        var next: TransportExchange?
        if machine.finish(), let connection {
            armTimer(at: lastProgress + idleConnectionTimeout)
            next = pool.release(connection)
        } else {
            tearDown()
        }
        _ = finished.deliver(head: head, bytes: bytes, ending: .complete)
        if let next { begin(next) }
        resumePendingRead()
    }

    // MARK: Back-pressure

    /// Pauses reading, which leaves the bytes with the peer.
    func read(context: ChannelHandlerContext) {
        if isPaused { hasPendingRead = true } else { context.read() }
    }

    func resumeReading(_ consumer: TransportExchange) {
        guard consumer === exchange, isPaused else { return }
        isPaused = false
        lastProgress = .now()
        armTimer(at: lastProgress + consumer.request.idleTimeout)
        resumePendingRead()
    }

    private func resumePendingRead() {
        guard hasPendingRead, !isPaused else { return }
        hasPendingRead = false
        context?.read()
    }
}
