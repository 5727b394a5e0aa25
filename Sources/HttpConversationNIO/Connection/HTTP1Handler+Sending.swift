import HttpConversation
import NIOCore
import NIOHTTP1

extension HTTP1Handler {
    /// Starts an exchange; one hop into the loop brought it here.
    func begin(_ next: Exchange) {
        guard let context, let connection, machine.canBegin, context.channel.isActive else {
            // The peer closed it between the pool's choice and now: nothing was sent.
            tearDown()
            return pool.submit(next)
        }
        guard next.attach(connection, isReused: machine.isReused) else {
            if let other = pool.release(connection) { begin(other) }
            return
        }
        exchange = next
        sentBytes = 0
        unsentAtLastCheck = 0
        isPaused = false
        let plan = next.plan
        machine.begin(plan.firstUpload)
        lastProgress = .now()
        armTimer(at: min(lastProgress + plan.idleTimeout, plan.deadline))
        write(plan, context)
    }

    private func write(_ plan: RequestPlan, _ context: ChannelHandlerContext) {
        context.write(Self.wrapOutboundOut(.head(plan.head)), promise: watchHead(plan, context))
        switch plan.payload {
        case .none:
            context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
        case .small(let bytes):
            if plan.expectsContinue { break }
            writeSmall(bytes, plan, context)
        case .streamed:
            if plan.expectsContinue { break }
            context.flush()
            startPump()
        }
        if plan.expectsContinue {
            context.flush()
            awaitContinue(plan, context)
        }
    }

    /// Only where it decides about a retry: whether the head of an unsafe request left this machine.
    private func watchHead(_ plan: RequestPlan, _ context: ChannelHandlerContext) -> EventLoopPromise<Void>? {
        guard machine.isReused, !plan.isIdempotent else { return nil }
        let promise = context.eventLoop.makePromise(of: Void.self)
        let watched = exchange
        promise.futureResult.assumeIsolated().whenFailure { [weak self] _ in
            guard let self, self.exchange === watched else { return }
            self.machine.headWasUnsent()
        }
        return promise
    }

    private func writeSmall(_ bytes: [UInt8], _ plan: RequestPlan, _ context: ChannelHandlerContext) {
        let buffer = context.channel.allocator.buffer(bytes: bytes)
        context.write(
            Self.wrapOutboundOut(.body(.byteBuffer(buffer))),
            promise: progressPromise(plan, total: bytes.count, context))
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func progressPromise(
        _ plan: RequestPlan, total: Int, _ context: ChannelHandlerContext
    ) -> EventLoopPromise<Void>? {
        guard let progress = plan.progress else { return nil }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenSuccess { progress(total) }
        return promise
    }

    // MARK: Expect

    private func awaitContinue(_ plan: RequestPlan, _ context: ChannelHandlerContext) {
        let awaited = exchange
        continueTimer = context.eventLoop.assumeIsolated().scheduleTask(in: plan.continueTimeout) { [weak self] in
            guard let self, self.exchange === awaited, self.machine.continueTimedOut() else { return }
            self.sendBody()
        }
    }

    /// The server wants the body, or said nothing about it for long enough.
    func sendBody() {
        continueTimer?.cancel()
        continueTimer = nil
        guard let context, let plan = exchange?.plan else { return }
        lastProgress = .now()
        switch plan.payload {
        case .none: break
        case .small(let bytes):
            writeSmall(bytes, plan, context)
            machine.bodySent()
        case .streamed: startPump()
        }
    }

    // MARK: Streamed bodies

    private func startPump() {
        guard let exchange, let connection, case .streamed(let body) = exchange.plan.payload else { return }
        pump = Task { await UploadPump(body: body, exchange: exchange, connection: connection).run() }
    }

    func sendChunk(_ chunk: Chunk, of sender: Exchange) {
        guard let context, sender === exchange, machine.running?.upload == .sending else {
            return chunk.continuation.resume(returning: false)
        }
        guard context.channel.isWritable else {
            lastProgress = .now()
            blockedChunk = chunk
            armTimer(at: lastProgress + sender.plan.idleTimeout)
            return
        }
        write(chunk, sender, context)
    }

    private func write(_ chunk: Chunk, _ sender: Exchange, _ context: ChannelHandlerContext) {
        sentBytes += chunk.bytes.count
        let buffer = context.channel.allocator.buffer(bytes: chunk.bytes)
        let promise = progressPromise(sender.plan, total: sentBytes, context)
        context.write(Self.wrapOutboundOut(.body(.byteBuffer(buffer))), promise: promise)
        if chunk.isLast { endBody(of: sender) } else { context.flush() }
        chunk.continuation.resume(returning: true)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let blocked = blockedChunk, let exchange {
            blockedChunk = nil
            lastProgress = .now()
            write(blocked, exchange, context)
        }
        context.fireChannelWritabilityChanged()
    }

    func endBody(of sender: Exchange) {
        guard let context, sender === exchange, machine.running?.upload == .sending else { return }
        pump = nil
        machine.bodySent()
        lastProgress = .now()
        armTimer(at: lastProgress + sender.plan.idleTimeout)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    }

    func failBody(of sender: Exchange, _ failure: ConversationError) {
        guard sender === exchange, machine.running?.upload == .sending else { return }
        fail(failure, nil, mayRetry: false)
    }

    /// Nothing more of the body is wanted.
    func stopUpload() {
        continueTimer?.cancel()
        continueTimer = nil
        pump?.cancel()
        pump = nil
        blockedChunk?.continuation.resume(returning: false)
        blockedChunk = nil
    }
}
