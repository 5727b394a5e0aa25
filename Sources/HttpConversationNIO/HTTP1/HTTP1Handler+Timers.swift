import HttpConversation
import NIOCore

extension HTTP1Handler {
    /// Makes sure the timer fires by `deadline`.
    func armTimer(at deadline: NIODeadline) {
        // Called for each request, so the closure is allocated only if the timer has to be armed.
        guard let context, !timer.fires(by: deadline) else { return }
        timer.arm(at: deadline, on: context.eventLoop) { [weak self] in self?.timerFired() }
    }

    private func timerFired() {
        timer.disarm()
        guard !machine.isClosed else { return }
        if let exchange { checkLimits(exchange.request) } else { checkIdle() }
    }

    private func checkIdle() {
        let deadline = lastProgress + keptTime
        guard deadline <= .now() else { return armTimer(at: deadline) }
        guard let connection else { return }
        if pool.retire(connection) { return tearDown() }
        armTimer(at: .now() + idleConnectionTimeout)
    }

    private func checkLimits(_ request: WireRequest) {
        let now = NIODeadline.now()
        if request.deadline <= now {
            return fail(TransportFailure.timeLimit(request), mayRetry: false)
        }
        guard isWaitingForPeer else {
            return armTimer(at: min(now + request.idleTimeout, request.deadline))
        }
        noteLeftBytes(now)
        let deadline = lastProgress + request.idleTimeout
        if deadline <= now { return fail(TransportFailure.idle(request, machine.cut), mayRetry: false) }
        let next = isLeaving ? min(deadline, now + request.lookInterval) : deadline
        armTimer(at: min(next, request.deadline))
    }

    /// Whether the peer has to act next. The idle limit counts only that time, so a slow consumer or a slow source of
    /// the request's body does not use it up.
    private var isWaitingForPeer: Bool {
        guard let running = machine.running, !isPaused else { return false }
        // Either side may speak; silence of both counts.
        if running.download == .upgraded { return true }
        return running.upload != .sending || bodyPump == nil || context?.channel.isWritable == false
    }

    /// Counts bytes that left since the last check as progress. They may take long, although the channel or the system
    /// accepted them at once.
    private func noteLeftBytes(_ now: NIODeadline) {
        guard isLeaving, let context else { return }
        let unsent = context.unsentBytes
        let left = sentBytes - unsent
        // If all has left by the first check, the server got it soon.
        if left > leftBytes, unsent > 0 || leftBytes > 0 { lastProgress = now }
        leftBytes = left
        isLeaving = unsent > 0
    }
}
