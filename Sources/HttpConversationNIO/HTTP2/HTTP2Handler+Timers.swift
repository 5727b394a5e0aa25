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
        let deadline = idleSince + idleConnectionTimeout
        guard deadline <= .now() else { return armTimer(at: deadline) }
        guard let connection else { return }
        if pool.retire(connection) { return shutDown() }
        armTimer(at: .now() + idleConnectionTimeout)
    }

    private func checkStreams() {
        let now = NIODeadline.now()
        guard let next = checkLiveness(now) else { return }
        var deadline = next
        var failed = 0
        for stream in Array(streams.values) {
            if let failure = overdue(stream, now) {
                removeStream(stream)
                reset(stream, .cancel)
                end(stream, .failed(failure))
                failed += 1
            } else {
                deadline = min(deadline, nextLook(at: stream, now))
            }
        }
        releasePlaces(failed)
        if !isClosed, !streams.isEmpty { armTimer(at: deadline) }
    }

    private func overdue(_ stream: HTTP2Stream, _ now: NIODeadline) -> ConversationError? {
        if stream.request.deadline <= now { return TransportFailure.timeLimit(stream.request) }
        guard stream.isWaitingForPeer, stream.lastProgress + stream.request.idleTimeout <= now else { return nil }
        return TransportFailure.idle(stream.request, stream.progress.cut)
    }

    private func nextLook(at stream: HTTP2Stream, _ now: NIODeadline) -> NIODeadline {
        let start = stream.isWaitingForPeer ? stream.lastProgress : now
        return min(start + stream.request.idleTimeout, stream.request.deadline)
    }

    /// Pings a server that has been silent (RFC 9113 §6.7).
    ///
    /// - Returns: when to check again; nil if the server is dead
    private func checkLiveness(_ now: NIODeadline) -> NIODeadline? {
        if let pingSent {
            guard pingSent + limits.livenessTimeout <= now else { return pingSent + limits.livenessTimeout }
            failConnection(HTTP2Failure.unresponsive(key.origin), nil)
            return nil
        }
        guard lastInbound + limits.livenessInterval <= now else { return lastInbound + limits.livenessInterval }
        pingSent = now
        send(.ping(HTTP2PingData(), ack: false))
        context?.flush()
        return now + min(limits.livenessInterval, limits.livenessTimeout)
    }
}
