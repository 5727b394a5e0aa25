import NIOCore

/// A connection's single timer, which is armed again only when it fires. Used on the connection's event loop.
struct ConnectionTimer {
    private var scheduled: Scheduled<Void>?
    private var deadline = NIODeadline.distantFuture

    /// Whether the timer fires by `deadline`. A later deadline is checked when the timer fires.
    func fires(by deadline: NIODeadline) -> Bool { deadline >= self.deadline && scheduled != nil }

    /// Replaces the timer that is armed.
    mutating func arm(at deadline: NIODeadline, on eventLoop: any EventLoop, _ fire: @escaping () -> Void) {
        scheduled?.cancel()
        self.deadline = deadline
        scheduled = eventLoop.assumeIsolated().scheduleTask(deadline: deadline, fire)
    }

    /// Clears the timer, after it fired or when it is no longer needed.
    mutating func disarm() {
        scheduled?.cancel()
        scheduled = nil
        deadline = .distantFuture
    }
}

@available(*, unavailable)
extension ConnectionTimer: Sendable {}
