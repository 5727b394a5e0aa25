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
        let deadline = lastProgress + idleConnectionTimeout
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
        noteWrites(now)
        let deadline = lastProgress + request.idleTimeout
        if deadline <= now { return fail(TransportFailure.idle(request, machine.cut), mayRetry: false) }
        armTimer(at: min(deadline, request.deadline))
    }

    /// Whether the peer has to act next. The idle limit counts only that time, so a slow consumer or a slow source of
    /// the request's body does not use it up.
    private var isWaitingForPeer: Bool {
        guard let running = machine.running, !isPaused else { return false }
        // Either side may speak; silence of both counts.
        if running.download == .upgraded { return true }
        return running.upload != .sending || context?.channel.isWritable == false
    }

    /// Counts bytes that left the socket's queue since the last check as progress.
    private func noteWrites(_ now: NIODeadline) {
        guard let options = context?.channel.syncOptions,
            let unsent = try? options.getOption(.bufferedWritableBytes)
        else { return }
        if unsent < unsentAtLastCheck { lastProgress = now }
        unsentAtLastCheck = unsent
    }
}
