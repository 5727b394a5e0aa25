import HttpConversation
import NIOCore

extension HTTP1Handler {
    /// Starts an exchange. The caller is already on the event loop, after one hop.
    func begin(_ next: TransportExchange) {
        guard let context, let connection, machine.canBegin, context.channel.isActive else {
            // The peer closed it after the pool had chosen it: nothing was sent.
            tearDown()
            return pool.submit(next)
        }
        let now = NIODeadline.now()
        let idleTime = now - lastProgress + suspension.sinceLastCall(at: now)
        if machine.isReused, idleTime > keptTime {
            // The machine was suspended, or the timer is late. The server has probably given the connection up.
            tearDown()
            return pool.submit(next)
        }
        guard next.attach(connection, isReused: machine.isReused) else {
            if let other = pool.release(connection) { begin(other) }
            return
        }
        exchange = next
        sentBytes = 0
        leftBytes = 0
        isLeaving = false
        isPaused = false
        let request = next.request
        machine.begin(
            request.firstUpload, upgrade: request.upgrade, isHead: request.head.method == .head,
            isHeldBack: request.isHeldBack)
        heads.reset()
        lastProgress = now
        armTimer(at: min(lastProgress + request.idleTimeout, request.deadline))
        write(request, context)
    }

    private func write(_ request: WireRequest, _ context: ChannelHandlerContext) {
        context.write(
            wrapOutboundOut(HTTP1Writer.head(request.head, context.channel.allocator)),
            promise: watchHead(request, context))
        if request.upgrade != nil { return context.flush() }
        switch request.payload {
        case .none:
            context.flush()
        case .small(let bytes):
            if request.expectsContinue { break }
            writeSmall(bytes, request, context)
        case .streamed:
            if request.expectsContinue { break }
            // Sends the head before the body's first piece.
            if !request.isHeldBack { context.flush() }
            startPump()
        }
        if request.expectsContinue {
            context.flush()
            awaitContinue(request, context)
        }
    }

    /// Watches whether the head of an unsafe request was written, if a retry depends on that.
    private func watchHead(_ request: WireRequest, _ context: ChannelHandlerContext) -> EventLoopPromise<Void>? {
        guard machine.isReused, !request.isIdempotent else { return nil }
        let promise = context.eventLoop.makePromise(of: Void.self)
        let watched = exchange
        promise.futureResult.assumeIsolated().whenFailure { [weak self] _ in
            guard let self, self.exchange === watched else { return }
            self.machine.headWasUnsent()
        }
        return promise
    }

    private func writeSmall(_ bytes: [UInt8], _ request: WireRequest, _ context: ChannelHandlerContext) {
        let buffer = context.channel.allocator.buffer(bytes: bytes)
        willSend(bytes.count, request)
        context.writeAndFlush(
            wrapOutboundOut(buffer), promise: progressPromise(request, sent: sentBytes, context))
    }

    /// - Parameter total: the length of the body, if only its end has told it
    private func progressPromise(
        _ request: WireRequest, sent: Int, of total: Int? = nil, _ context: ChannelHandlerContext
    ) -> EventLoopPromise<Void>? {
        guard let progress = request.progress else { return nil }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenSuccess { progress(sent, total ?? request.bodyLength) }
        return promise
    }

    // MARK: Expect

    private func awaitContinue(_ request: WireRequest, _ context: ChannelHandlerContext) {
        let awaited = exchange
        continueTimer = context.eventLoop.assumeIsolated().scheduleTask(in: request.continueTimeout) { [weak self] in
            guard let self, self.exchange === awaited, self.machine.continueTimedOut() else { return }
            self.sendBody()
        }
    }

    /// Sends the body: the server asked for it, or the wait for `100 Continue` timed out.
    func sendBody() {
        continueTimer?.cancel()
        continueTimer = nil
        guard let context, let request = exchange?.request else { return }
        lastProgress = .now()
        switch request.payload {
        case .none where machine.isUpgraded:
            endBody(request, context)
            context.flush()
        case .none: break
        case .small(let bytes):
            writeSmall(bytes, request, context)
            machine.bodySent()
        case .streamed: startPump()
        }
    }

    // MARK: Streamed bodies

    private func startPump() {
        guard let exchange, let connection, case .streamed(let body) = exchange.request.payload else { return }
        bodyPump = RequestBodyPump(body, of: exchange, over: connection)
    }

    func sendPieces(of sender: TransportExchange) {
        guard let context, sender === exchange, let bodyPump, machine.running?.upload == .sending else { return }
        lastProgress = .now()
        armTimer(at: lastProgress + sender.request.idleTimeout)
        var isFlushed = true
        while !isFlushed || context.channel.isWritable, self.bodyPump === bodyPump, let part = bodyPump.next() {
            if let buffer = part.buffer { write(buffer, sender.request, context) }
            if part.isLast { endBody(sender.request, context) }
            // Copied bytes are sent while they are in the processor's cache, and the next ones take their memory.
            // Flushing may call this function again, which goes on with the next part.
            isFlushed = part.isCopied || part.isEndOfBurst
            if isFlushed { context.flush() }
        }
    }

    private func write(_ buffer: ByteBuffer, _ request: WireRequest, _ context: ChannelHandlerContext) {
        let (count, allocator) = (buffer.readableBytes, context.channel.allocator)
        willSend(count, request)
        if request.isChunked { context.write(wrapOutboundOut(HTTP1Writer.chunkStart(count, allocator)), promise: nil) }
        context.write(wrapOutboundOut(buffer), promise: progressPromise(request, sent: sentBytes, context))
        if request.isChunked { context.write(wrapOutboundOut(HTTP1Writer.chunkEnd(allocator)), promise: nil) }
    }

    private func willSend(_ count: Int, _ request: WireRequest) {
        sentBytes += count
        isLeaving = true
        armTimer(at: min(lastProgress + request.lookInterval, request.deadline))
    }

    private func endBody(_ request: WireRequest, _ context: ChannelHandlerContext) {
        bodyPump = nil
        let hasResponse = machine.awaitsUpload
        if !hasResponse { machine.bodySent() }
        lastProgress = .now()
        armTimer(at: lastProgress + request.idleTimeout)
        if request.isChunked {
            context.write(
                wrapOutboundOut(HTTP1Writer.lastChunk(context.channel.allocator)),
                promise: progressPromise(request, sent: sentBytes, of: sentBytes, context))
        }
        guard hasResponse || machine.isUpgraded else { return }
        context.write(wrapOutboundOut(ByteBuffer()), promise: closing(context))
    }

    /// Ends the exchange once all is written.
    private func closing(_ context: ChannelHandlerContext) -> EventLoopPromise<Void> {
        let promise = context.eventLoop.makePromise(of: Void.self)
        let written = exchange
        promise.futureResult.assumeIsolated().whenComplete { [weak self] result in
            guard let self, let written, self.exchange === written else { return }
            if self.machine.isUpgraded { return self.receivedEnd() }
            // After a failure the connection ends, and the exchange with it.
            guard case .success = result else { return }
            self.machine.bodySent()
            self.lastProgress = .now()
            self.flushBurst()
        }
        return promise
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let exchange { sendPieces(of: exchange) }
        context.fireChannelWritabilityChanged()
    }

    func failBody(of sender: TransportExchange, _ failure: ConversationError) {
        guard sender === exchange, machine.running?.upload == .sending else { return }
        fail(failure, mayRetry: false)
    }

    /// Stops the upload: the rest of the body is no longer needed.
    func stopUpload() {
        continueTimer?.cancel()
        continueTimer = nil
        bodyPump?.stop()
        bodyPump = nil
    }
}
