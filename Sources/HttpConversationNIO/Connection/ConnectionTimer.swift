import NIOCore

/// One timer for a connection, armed again only when it fires. On its event loop.
struct ConnectionTimer {
    private var scheduled: Scheduled<Void>?
    private var deadline = NIODeadline.distantFuture

    /// Whether it fires by then. Later deadlines wait for the timer to fire and look around.
    func fires(by deadline: NIODeadline) -> Bool { deadline >= self.deadline && scheduled != nil }

    /// In place of what is armed.
    mutating func arm(at deadline: NIODeadline, on eventLoop: any EventLoop, _ fire: @escaping () -> Void) {
        scheduled?.cancel()
        self.deadline = deadline
        scheduled = eventLoop.assumeIsolated().scheduleTask(deadline: deadline, fire)
    }

    /// It has fired, or is no longer wanted.
    mutating func disarm() {
        scheduled?.cancel()
        scheduled = nil
        deadline = .distantFuture
    }
}

@available(*, unavailable)
extension ConnectionTimer: Sendable {}
