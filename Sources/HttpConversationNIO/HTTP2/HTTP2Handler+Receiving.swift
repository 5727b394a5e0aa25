import HttpConversation
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

extension HTTP2Handler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let content): receive(content, on: frame.streamID)
        case .data(let content): receive(content, on: frame.streamID)
        case .settings(.settings(let settings)): apply(settings)
        case .rstStream(let code): streamWasReset(frame.streamID, code)
        case .goAway(let last, let code, _): serverIsGoingAway(last, code)
        case .windowUpdate: countWindowUpdate()
        case .alternativeService, .origin: return
        default: break
        }
        meaninglessBytes = 0
    }

    /// Ends the connection after too many meaningless bytes. A head may take many frames until it is complete, and the
    /// codec drops content of streams that were reset.
    func checkMeaninglessBytes() {
        guard meaninglessBytes > HTTP2Limits.meaninglessBytes + maximumHeadBytes + droppedContent else { return }
        failConnection(HTTP2Failure.flood(key.origin, "unknown"), nil)
    }

    // MARK: Responses

    private func receive(_ content: HTTP2Frame.FramePayload.Headers, on id: HTTP2StreamID) {
        guard let stream = streams[id] else { return }
        touch(stream)
        stream.progress.hasBytes = true
        if stream.progress.download == .awaitingHead { receiveHead(content, stream) }
        guard content.endStream, streams[id] != nil else { return }
        guard stream.progress.download == .body else { return refuse(stream, .unexpectedBytes) }
        endResponse(stream)
    }

    private func receiveHead(_ content: HTTP2Frame.FramePayload.Headers, _ stream: HTTP2Stream) {
        let (head, size): (ResponseHead, Int)
        do throws(ExchangeProgress.Refusal) { (head, size) = try HTTP2Heads.response(content.headers) } catch {
            return error == .head(.tooLarge) ? refuseLargeHead(stream) : refuse(stream, error)
        }
        stream.headBytes += size
        guard stream.headBytes <= maximumHeadBytes + (8 << 10) else { return refuseLargeHead(stream) }
        switch stream.progress.received(status: head.status.code, isWhole: content.endStream) {
        case .interim: break
        case .sendBody: sendBody(of: stream)
        case .refuse(let refusal): refuse(stream, refusal)
        case .upgraded: refuse(stream, .unaskedUpgrade)
        case .finalBeforeBody:
            sendBody(of: stream)
            fallthrough
        case .final:
            if stream.progress.upload != .sending { stream.stopUpload() }
            if head.status.code == 417, stream.request.expectsContinue, stream.request.isReplayable {
                removeStream(stream)
                reset(stream, .cancel)
                stream.exchange.finish(.retryWithoutExpect)
                return releasePlaces()
            }
            stream.burstHead = head
            stream.isAccepted = head.status.code < 300
            if stream.progress.upload == .sending, head.isHTML { stream.progress.endsWithAnswer = true }
            stream.mayHaveContent = head.mayHaveContent(isHead: stream.request.head.method == .head)
        }
    }

    private func receive(_ content: HTTP2Frame.FramePayload.Data, on id: HTTP2StreamID) {
        guard let stream = streams[id] else { return }
        touch(stream)
        stream.progress.hasBytes = true
        guard stream.progress.download == .body else { return refuse(stream, .unexpectedBytes) }
        if case .byteBuffer(let buffer) = content.data {
            guard stream.mayHaveContent || buffer.readableBytes == 0 else { return refuse(stream, .unexpectedBytes) }
            stream.emptyFrames = buffer.readableBytes == 0 ? stream.emptyFrames + 1 : 0
            guard stream.emptyFrames <= HTTP2Limits.maximumEmptyFrames || content.endStream else {
                return failConnection(HTTP2Failure.flood(key.origin, "empty DATA"), nil)
            }
            stream.unread += buffer.readableBytes
            stream.padding += content.paddingBytes.map { $0 + 1 } ?? 0
            stream.burstBytes.append(buffer)
        }
        if content.endStream { endResponse(stream) }
    }

    private func endResponse(_ stream: HTTP2Stream) {
        stream.progress.download = .complete
        stream.burstEnds = true
    }

    func touch(_ stream: HTTP2Stream) {
        guard !stream.isTouched else { return }
        stream.isTouched = true
        touched.append(stream)
    }

    private func refuseLargeHead(_ stream: HTTP2Stream) {
        fail(stream, HTTP2Failure.headTooLarge(key.origin), code: .enhanceYourCalm)
    }

    private func refuse(_ stream: HTTP2Stream, _ refusal: ExchangeProgress.Refusal) {
        fail(stream, TransportFailure.malformed(key.origin, refusal), code: .protocolError)
    }

    /// Ends a stream because of something that the server sent on it.
    func fail(_ stream: HTTP2Stream, _ failure: ConversationError, code: HTTP2ErrorCode) {
        removeStream(stream)
        reset(stream, code)
        end(stream, .failed(failure))
        releasePlaces()
    }

    // MARK: Bursts

    /// The end of a burst: delivers all that it brought, in one hop per exchange.
    func channelReadComplete(context: ChannelHandlerContext) {
        lastInbound = .now()
        pingSent = nil
        flushBursts()
        context.flush()
        context.fireChannelReadComplete()
    }

    func flushBursts() {
        guard !touched.isEmpty else { return }
        let flushed = touched
        touched = []
        var finished = 0
        for stream in flushed {
            stream.isTouched = false
            guard streams[stream.id] != nil else { continue }
            stream.lastProgress = lastInbound
            // The rest of a body that the server accepts is sent before the exchange ends.
            if stream.burstEnds, !stream.awaitsUpload {
                finish(stream)
                finished += 1
            } else {
                deliverBurst(of: stream)
            }
        }
        releasePlaces(finished)
    }

    func finish(_ stream: HTTP2Stream) {
        removeStream(stream)
        // The server answered without the rest of the request, some of which may wait for its windows.
        if !stream.isClosed { reset(stream, .cancel) }
        end(stream, .complete)
    }

    private func deliverBurst(of stream: HTTP2Stream) {
        guard stream.burstHead != nil || !stream.burstBytes.isEmpty else { return }
        let head = stream.burstHead
        stream.burstHead = nil
        _ = stream.exchange.deliver(head: head, bytes: stream.burstBytes.take(), ending: nil)
        if stream.unread + stream.padding >= HTTP2Limits.creditStep { grantCredit(stream) }
    }

    // MARK: Windows

    func resumeReading(_ exchange: TransportExchange) {
        guard let stream = stream(of: exchange) else { return }
        stream.lastProgress = .now()
        grantCredit(stream)
        context?.flush()
    }

    /// Returns credit to the server for the bytes that the consumer has taken (RFC 9113 §5.2).
    private func grantCredit(_ stream: HTTP2Stream) {
        let taken = min(
            stream.exchange.takeCredit(atLeast: max(0, HTTP2Limits.creditStep - stream.padding)), stream.unread)
        let credit = taken + stream.padding
        guard credit >= HTTP2Limits.creditStep, stream.progress.download == .body, !stream.isClosed else { return }
        stream.unread -= taken
        stream.padding = 0
        let increment = credit + stream.resizeWindow(after: taken, returning: credit)
        if increment > 0 { send(.windowUpdate(windowSizeIncrement: increment), on: stream.id) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as NIOHTTP2WindowUpdatedEvent: windowChanged(event)
        case let event as NIOHTTP2StreamCreatedEvent: streams[event.streamID]?.isOpen = true
        case let event as StreamClosedEvent: streams[event.streamID]?.isClosed = true
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Refills the connection's window, which must not limit readers: each stream has a window of its own.
    private func windowChanged(_ event: NIOHTTP2WindowUpdatedEvent) {
        guard event.streamID == .rootStream else {
            if let stream = streams[event.streamID], stream.isUploading || stream.isSending {
                noteSending(stream, window: event.outboundWindowSize)
            }
            return
        }
        guard let size = event.inboundWindowSize, size <= HTTP2Limits.connectionWindow / 2 else { return }
        send(.windowUpdate(windowSizeIncrement: HTTP2Limits.connectionWindow - size))
    }

    private func countWindowUpdate() {
        windowUpdates += 1
        guard windowUpdates > allowedWindowUpdates else { return }
        failConnection(HTTP2Failure.flood(key.origin, "WINDOW_UPDATE"), nil)
    }

    // MARK: Settings

    private func apply(_ settings: HTTP2Settings) {
        // A server must not enable push (RFC 9113 §6.5.2). The codec would accept that.
        if settings.contains(where: { $0.parameter == .enablePush && $0.value != 0 }) {
            return failConnection(HTTP2Failure.pushing(key.origin), nil)
        }
        if settings.contains(where: { $0.parameter == .headerTableSize && $0.value > HTTP2Limits.headerTable }) {
            isIndexing = false
        }
        guard let connection, !isGoingAway else { return }
        // The codec assumes 100 if the server sets no limit.
        let allowed = settings.last { $0.parameter == .maxConcurrentStreams }?.value
        if let allowed { allowedStreams = allowed } else if allowedStreams == nil { allowedStreams = 100 }
        pool.changeLimit(connection, to: min(allowedStreams ?? 100, HTTP2Limits.maximumStreams))
    }
}
