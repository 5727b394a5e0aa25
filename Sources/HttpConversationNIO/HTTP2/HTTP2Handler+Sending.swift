import HttpConversation
import NIOCore
import NIOHPACK
import NIOHTTP2

extension HTTP2Handler {
    /// Starts an exchange on a new stream. The caller is already on the event loop, after one hop.
    func begin(_ next: TransportExchange) {
        guard let context, let connection, !isGoingAway, !isClosed, context.channel.isActive else {
            // The server closed it after the pool had chosen it: nothing was sent.
            if let connection, !isClosed {
                if context?.channel.isActive == true { pool.releaseShared(connection) } else { tearDown() }
            }
            return pool.submit(next)
        }
        let now = NIODeadline.now()
        let idleTime = now - max(idleSince, lastInbound) + suspension.sinceLastCall(at: now)
        if begun > 0, streams.isEmpty, idleTime > idleConnectionTimeout {
            // The machine was suspended, or the timer is late. The server has probably given the connection up.
            shutDown()
            return pool.submit(next)
        }
        guard next.attach(connection, isReused: begun > 0, creditStep: HTTP2Limits.creditStep) else {
            return pool.releaseShared(connection)
        }
        // The silence goes on while a ping is unanswered.
        if streams.isEmpty, pingSent == nil { lastInbound = now }
        let stream = addStream(next, at: now)
        let request = stream.request
        // The request waits behind the DATA frames of others.
        stream.lastByte = writtenFrames.dataBytes
        stream.isLeaving = leftBytes < stream.lastByte
        let firstLook = now + (stream.isLeaving ? stream.request.lookInterval : request.idleTimeout)
        armTimer(at: min(firstLook, request.deadline, lastInbound + limits.livenessInterval))
        write(stream, request, context)
        context.flush()
    }

    private func write(_ stream: HTTP2Stream, _ request: WireRequest, _ context: ChannelHandlerContext) {
        let headers = HTTP2Heads.request(request, isIndexing: isIndexing)
        var endsWithHead = false
        if case .none = request.payload { endsWithHead = true }
        send(.headers(.init(headers: headers, endStream: endsWithHead)), on: stream.id)
        if request.expectsContinue { return awaitContinue(stream, context) }
        switch request.payload {
        case .none: break
        case .small(let bytes): writeSmall(bytes, stream, context)
        case .streamed: startPump(stream)
        }
    }

    private func writeSmall(_ bytes: [UInt8], _ stream: HTTP2Stream, _ context: ChannelHandlerContext) {
        stream.unsentPieces = 1
        armTimer(at: stream.lastProgress + stream.request.lookInterval)
        writePiece(context.channel.allocator.buffer(bytes: bytes), isLast: true, stream, context)
    }

    // MARK: Expect

    private func awaitContinue(_ stream: HTTP2Stream, _ context: ChannelHandlerContext) {
        let id = stream.id
        stream.continueTimer = context.eventLoop.assumeIsolated().scheduleTask(in: stream.request.continueTimeout) {
            [weak self] in
            guard let self, let stream = self.streams[id], stream.progress.continueTimedOut() else { return }
            self.sendBody(of: stream)
        }
    }

    /// Sends the body: the server asked for it, or the wait for `100 Continue` timed out.
    func sendBody(of stream: HTTP2Stream) {
        stream.continueTimer?.cancel()
        stream.continueTimer = nil
        guard let context else { return }
        stream.lastProgress = .now()
        switch stream.request.payload {
        case .none: break
        case .small(let bytes):
            writeSmall(bytes, stream, context)
            stream.progress.bodySent()
            context.flush()
        case .streamed: startPump(stream)
        }
    }

    // MARK: Streamed bodies

    private func startPump(_ stream: HTTP2Stream) {
        guard let connection, case .streamed(let body) = stream.request.payload else { return }
        stream.bodyPump = RequestBodyPump(body, of: stream.exchange, over: connection)
    }

    func sendPieces(of sender: TransportExchange) {
        if let stream = stream(of: sender) { sendPieces(of: stream) }
    }

    /// The number of parts that are written together.
    private static let mostParts = RequestBodyWindow.largestForFiles / RequestBodyStream.pieceSize

    /// Sends the bytes that there are, up to a limit: the next ones follow when the server's windows have accepted
    /// them.
    ///
    /// Streams that wait for room in the channel take turns of one part each.
    private func sendPieces(of stream: HTTP2Stream, isItsTurn: Bool = false) {
        guard let context, stream.progress.upload == .sending, !stream.isSending, !stream.awaitsRoom else { return }
        guard context.channel.isWritable, isItsTurn || awaitingRoom.isEmpty else { return awaitRoom(stream) }
        let mostParts = awaitingRoom.isEmpty ? Self.mostParts : 1
        var parts: [RequestBodyPump.Part] = []
        // The other parts wait uncopied, because much more is read ahead than the server's windows accept.
        while parts.count < mostParts, parts.last?.isEndOfBurst != true, let part = stream.bodyPump?.next() {
            parts.append(part)
        }
        guard let last = parts.last else { return }
        stream.unsentPieces = parts.count
        stream.lastProgress = .now()
        armTimer(at: stream.lastProgress + stream.request.lookInterval)
        if last.isLast { endBody(of: stream) }
        // The end needs a frame, too.
        for part in parts { writePiece(part.buffer ?? ByteBuffer(), isLast: part.isLast, stream, context) }
        context.flush()
    }

    private func awaitRoom(_ stream: HTTP2Stream) {
        stream.awaitsRoom = true
        stream.isLeaving = true
        stream.lastProgress = .now()
        armTimer(at: stream.lastProgress + stream.request.lookInterval)
        awaitingRoom.append(stream.id)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        while context.channel.isWritable, let id = awaitingRoom.popFirst() {
            guard let stream = streams[id] else { continue }
            stream.awaitsRoom = false
            sendPieces(of: stream, isItsTurn: true)
        }
        context.fireChannelWritabilityChanged()
    }

    private func writePiece(
        _ buffer: ByteBuffer, isLast: Bool, _ stream: HTTP2Stream, _ context: ChannelHandlerContext
    ) {
        let (id, count) = (stream.id, buffer.readableBytes)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { [weak self] in self?.pieceWasSent(count, id) }
        allowedWindowUpdates += 2 + count / 64
        let frame = HTTP2Frame(streamID: id, payload: .data(.init(data: .byteBuffer(buffer), endStream: isLast)))
        context.write(wrapOutboundOut(frame), promise: promise)
    }

    private func pieceWasSent(_ count: Int, _ id: HTTP2StreamID) {
        guard let stream = streams[id] else { return }
        stream.unsentPieces -= 1
        stream.lastProgress = .now()
        lastOutbound = stream.lastProgress
        stream.sentBytes += count
        if let progress = stream.request.progress {
            // The end tells the length of a body without one.
            let end = stream.unsentPieces == 0 && stream.progress.upload == .sent ? stream.sentBytes : nil
            let length = stream.request.bodyLength
            if count > 0 || length == nil && end != nil { progress(stream.sentBytes, length ?? end) }
        }
        if stream.burstEnds, !stream.isSending, !stream.awaitsUpload {
            finish(stream)
            return releasePlaces()
        }
        sendPieces(of: stream)
    }

    private func endBody(of stream: HTTP2Stream) {
        stream.bodyPump = nil
        stream.progress.bodySent()
    }

    func failBody(of sender: TransportExchange, _ failure: ConversationError) {
        guard let stream = stream(of: sender), stream.progress.upload == .sending else { return }
        fail(stream, failure, code: .cancel)
    }
}
