import HttpConversation
import NIOCore
import NIOHTTP2

extension HTTP2Handler {
    /// Makes sure the timer fires by `deadline`.
    func armTimer(at deadline: NIODeadline) {
        // Called for each request, so the closure is allocated only if the timer has to be armed.
        guard let context, !timer.fires(by: deadline) else { return }
        timer.arm(at: deadline, on: context.eventLoop) { [weak self] in self?.timerFired() }
    }

    private func timerFired() {
        timer.disarm()
        guard !isClosed else { return }
        if streams.isEmpty { checkIdle() } else { checkStreams() }
    }

    private func checkIdle() {
        let now = NIODeadline.now()
        noteLeftBytes(now)
        if let pingLimit, pingLimit <= now { return failConnection(HTTP2Failure.unresponsive(key.origin), nil) }
        let deadline = idleSince + idleConnectionTimeout
        guard deadline <= now else { return armTimer(at: min(deadline, pingLimit ?? deadline)) }
        guard let connection else { return }
        if pool.retire(connection) { return shutDown() }
        armTimer(at: .now() + idleConnectionTimeout)
    }

    private func checkStreams() {
        let now = NIODeadline.now()
        noteLeftBytes(now)
        guard let next = checkLiveness(now) else { return }
        var deadline = next
        var failed = 0
        for stream in Array(streams.values) where streams[stream.id] != nil {
            stream.noteLeft(leftBytes, at: lastOutbound)
            if let failure = overdue(stream, now) {
                removeStream(stream)
                probe(after: stream)
                reset(stream, .cancel)
                end(stream, .failed(failure))
                failed += 1
            } else {
                deadline = min(deadline, nextLook(at: stream, now))
            }
        }
        releasePlaces(failed)
        if !isClosed, !streams.isEmpty || pingSent != nil { armTimer(at: deadline) }
    }

    private func overdue(_ stream: HTTP2Stream, _ now: NIODeadline) -> ConversationError? {
        if stream.request.deadline <= now { return TransportFailure.timeLimit(stream.request) }
        guard stream.isWaitingForPeer, stream.lastProgress + stream.request.idleTimeout <= now else { return nil }
        return TransportFailure.idle(stream.request, stream.progress.cut)
    }

    private func nextLook(at stream: HTTP2Stream, _ now: NIODeadline) -> NIODeadline {
        let start = stream.isWaitingForPeer ? stream.lastProgress : now
        let deadline = min(start + stream.request.idleTimeout, stream.request.deadline)
        return stream.isLeaving ? min(deadline, now + stream.request.lookInterval) : deadline
    }

    // MARK: Bytes that leave

    /// Counts bytes that left since the last check as progress. They may take long, although the channel or the system
    /// accepted them at once.
    private func noteLeftBytes(_ now: NIODeadline) {
        // All has left.
        guard leftBytes < writtenFrames.dataBytes else { return }
        let left = writtenFrames.dataBytes - (context?.unsentBytes ?? 0)
        guard left > leftBytes else { return }
        leftBytes = left
        lastOutbound = now
    }

    /// Notes a change of a window of a stream that sends a body: the server opened it, or bytes were sent.
    func noteSending(_ stream: HTTP2Stream, window: Int?) {
        stream.hasWindow = window.map { $0 > 0 } ?? true
        guard stream.isSending else { return }
        stream.lastProgress = .now()
        stream.lastByte = writtenFrames.dataBytes
        stream.isLeaving = true
    }

    // MARK: Liveness

    /// The time at which an unanswered ping ends the connection. The ping waits behind bytes that have not left.
    private var pingLimit: NIODeadline? { pingSent.map { max($0, lastOutbound) + limits.livenessTimeout } }

    /// Pings a server that has been silent (RFC 9113 §6.7).
    ///
    /// - Returns: when to check again; nil if the server is dead
    private func checkLiveness(_ now: NIODeadline) -> NIODeadline? {
        if let pingLimit {
            guard pingLimit <= now else { return pingLimit }
            failConnection(HTTP2Failure.unresponsive(key.origin), nil)
            return nil
        }
        guard lastInbound + limits.livenessInterval <= now else { return lastInbound + limits.livenessInterval }
        ping(now)
        context?.flush()
        return now + min(limits.livenessInterval, limits.livenessTimeout)
    }

    private func ping(_ now: NIODeadline) {
        pingSent = now
        send(.ping(HTTP2PingData(), ack: false))
    }

    /// Pings a server that sent nothing during a stream that we end. Otherwise requests with short time limits would
    /// never notice that the connection is dead.
    func probe(after stream: HTTP2Stream) {
        guard pingSent == nil, stream.isOpen, lastInbound <= stream.began else { return }
        let now = NIODeadline.now()
        guard nextProbe <= now else { return }
        nextProbe = now + limits.livenessInterval
        noteLeftBytes(now)
        ping(now)
        armTimer(at: now + limits.livenessTimeout)
    }
}
