import HttpConversation
import NIOCore
import NIOHTTP2

extension HTTP2Handler {
    /// Handles a server's fault that the codec reports: about one stream if the codec has just reset it, else about the
    /// connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The codec refused to write something of ours: nothing of it was sent.
        if let error = error as? NIOHTTP2Errors.StreamError {
            guard let stream = streams[error.streamID] else { return }
            return fail(stream, HTTP2Failure.unsendable(error.baseError, key.origin), code: .cancel)
        }
        guard let id = writtenFrames.takeResetStream() else {
            return failConnection(HTTP2Failure.connection(error, key.origin), error)
        }
        expectDroppedContent(of: streams[id])
        guard let stream = streams[id] else { return }
        removeStream(stream)
        end(stream, .failed(HTTP2Failure.stream(error, key.origin)))
        releasePlaces()
    }

    func channelInactive(context: ChannelHandlerContext) {
        failConnection(nil, nil)
        context.fireChannelInactive()
    }

    /// Ends the connection and its exchanges. Each request is retried if that is safe.
    ///
    /// - Parameter failure: nil for the plain end of the connection; each exchange's error then depends on its progress
    func failConnection(_ failure: ConversationError?, _ error: (any Error)?, mayRetry: Bool = true) {
        // Responses that are complete stand.
        stopBeginning()
        flushBursts()
        let failed = streams.values.sorted { $0.id < $1.id }
        streams = [:]
        let version = connection?.facts?.tlsVersion
        tearDown()
        for stream in failed {
            stream.stopUpload()
            let reason =
                failure
                ?? HTTP2Failure.ended(
                    key, error, goAwayCode, stream.progress.cut,
                    unused: stream.isReused || stream.progress.hasBytes ? nil : version,
                    isUploading: stream.isUploading)
            // A server may answer and go without the rest of the request.
            if stream.burstEnds, failure == nil || error != nil {
                end(stream, .complete)
            } else if mayRetry, stream.mayRetry {
                stream.exchange.finish(.retryOnFreshConnection(reason))
            } else {
                end(stream, .failed(reason))
            }
        }
    }

    func end(_ stream: HTTP2Stream, _ ending: TransportExchange.Ending) {
        let head = stream.burstHead
        stream.burstHead = nil
        // The exchange may hold a whole window of bytes for long after the stream.
        if let growth = stream.growth.take() { stream.exchange.keepUntilRead(growth) }
        _ = stream.exchange.deliver(head: head, bytes: stream.burstBytes.take(), ending: ending)
    }

    // MARK: Ended by the server

    /// Ends a stream that the server reset (RFC 9113 §6.4).
    func streamWasReset(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        guard let stream = streams[id] else { return }
        // The response is complete, and the server does not want the rest of the request (RFC 9113 §8.1).
        if stream.burstEnds {
            stream.isClosed = true
            return touch(stream)
        }
        removeStream(stream)
        let failure = HTTP2Failure.reset(key.origin, code)
        let isUnanswered = !stream.progress.hasBytes && stream.request.isReplayable
        switch code {
        case .refusedStream where isUnanswered: stream.exchange.finish(.retryUnprocessed(failure))
        case .http11Required where isUnanswered: stream.exchange.finish(.retryOverHTTP1(failure))
        default: end(stream, .failed(failure))
        }
        releasePlaces()
    }

    /// Handles GOAWAY: the server takes no more streams and has not processed those after `last` (RFC 9113 §6.8).
    func serverIsGoingAway(_ last: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        goAways += 1
        guard goAways <= HTTP2Limits.maximumGoAways else {
            return failConnection(HTTP2Failure.flood(key.origin, "GOAWAY"), nil)
        }
        if code != .noError { goAwayCode = code }
        stopBeginning()
        // Responses that are complete stand.
        flushBursts()
        let unprocessed = streams.values.filter { $0.id > last }.sorted { $0.id < $1.id }
        var ended = 0
        // A reset flushes, which may end the upload of another of these streams.
        for stream in unprocessed where streams[stream.id] != nil {
            ended += 1
            if stream.burstEnds {
                finish(stream)
                continue
            }
            removeStream(stream)
            // A request that is still in the codec's queue must not be sent.
            if !stream.isOpen { reset(stream, .cancel) }
            let failure = HTTP2Failure.goAway(key.origin, code)
            guard !stream.progress.hasBytes, stream.request.isReplayable else {
                end(stream, .failed(failure))
                continue
            }
            stream.exchange.finish(code == .http11Required ? .retryOverHTTP1(failure) : .retryUnprocessed(failure))
        }
        releasePlaces(ended)
        if streams.isEmpty { tearDown() }
    }

    // MARK: Ended by us

    /// Ends an exchange that its consumer gave up. Resets its stream at once (RFC 9113 §5.4.2).
    func abort(_ aborted: TransportExchange) {
        guard let stream = stream(of: aborted) else { return }
        removeStream(stream)
        probe(after: stream)
        reset(stream, .cancel)
        releasePlaces()
    }

    func shutDown() {
        if !isClosed, context?.channel.isActive == true {
            send(.goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil))
            context?.flush()
        }
        failConnection(ConnectionPool.shutDownError, nil, mayRetry: false)
    }

    func tearDown() {
        timer.disarm()
        guard !isClosed else { return }
        isClosed = true
        isGoingAway = true
        if let connection { pool.closed(connection) }
        context?.closeWithoutWaiting()
    }
}
