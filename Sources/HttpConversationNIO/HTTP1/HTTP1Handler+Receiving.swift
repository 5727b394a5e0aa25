import HTTPTypes
import HttpConversation
import Logging
import NIOCore

extension HTTP1Handler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !machine.isClosed else { return }
        var bytes = unwrapInboundIn(data)
        readsOfBurst += 1
        mayHaveMore = readsOfBurst >= Self.maximumReads && bytes.writableBytes == 0
        if unfinishedLine.readableBytes > 0 {
            var line = ByteBuffer()
            swap(&line, &unfinishedLine)
            // Otherwise the memory of the bytes before the line would be kept, too.
            line.discardReadBytes()
            line.writeBuffer(&bytes)
            bytes = line
        }
        do throws(ExchangeProgress.Refusal) { try receive(&bytes) } catch {
            return errorCaught(context: context, error: error)
        }
        if bytes.readableBytes > 0 { unfinishedLine = bytes }
    }

    /// Reads all that it can, and leaves an unfinished line in the buffer.
    private func receive(_ bytes: inout ByteBuffer) throws(ExchangeProgress.Refusal) {
        guard machine.bytesArrived() else { throw .unexpectedBytes }
        while bytes.readableBytes > 0 {
            // Without an exchange, a head has ended the connection.
            guard exchange != nil, let stage = machine.running?.download else { return bytes.clear() }
            switch stage {
            case .awaitingHead:
                guard let head = try readHead(&bytes) else { return machine.headBegan() }
                try receive(head)
            case .body:
                try machine.receivedBody(&bytes, into: &burstBytes)
                guard machine.running?.download == .complete else { return }
                burstEnds = true
            case .upgraded:
                burstBytes.append(bytes)
                bytes.clear()
            case .complete: throw .unexpectedBytes
            }
        }
    }

    private func readHead(_ bytes: inout ByteBuffer) throws(ExchangeProgress.Refusal) -> ResponseHead? {
        var head: ResponseHead?
        do { head = try heads.read(&bytes) } catch { throw .head(error) }
        if head?.joinLengths() == false { throw .invalidLength }
        return head
    }

    private func receive(_ head: ResponseHead) throws(ExchangeProgress.Refusal) {
        guard let exchange else { return }
        switch machine.receivedHead(head) {
        case .interim: break
        case .sendBody: sendBody()
        case .upgraded:
            if let connection { pool.detach(connection) }
            burstHead = head
            sendBody()
        case .refuse(let refusal): throw refusal
        case .finalBeforeBody:
            sendBody()
            fallthrough
        case .final:
            if machine.running?.upload != .sending { stopUpload() }
            if head.status.code == 417, exchange.request.expectsContinue, exchange.request.isReplayable {
                self.exchange = nil
                machine.abandon()
                tearDown()
                return exchange.finish(.retryWithoutExpect)
            }
            // Each response of a connection announces the same time.
            if !machine.isReused, let announced = head.keptTime { keptTime = min(announced, idleConnectionTimeout) }
            burstHead = head
            burstEnds = machine.expectsNothing
        }
    }

    /// The connection has ended, which may be the end of the response.
    func receivedEnd() {
        if exchange != nil, machine.receivedEnd() { burstEnds = true }
        flushBurst()
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
        readsOfBurst = 0
        flushBurst()
        context.fireChannelReadComplete()
    }

    func flushBurst() {
        guard let exchange else { return }
        // The rest of a body that the server accepts is sent before the exchange ends.
        if burstEnds, !machine.awaitsUpload { return finish(exchange) }
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
        if mayHaveMore { machine.refuseReuse() }
        if machine.finish(), let connection {
            armTimer(at: lastProgress + keptTime)
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
