import NIOCore

/// One timer for a connection, armed again only when it fires. On its event loop.
struct ConnectionTimer {
    private var scheduled: Scheduled<Void>?
    private var deadline = NIODeadline.distantFuture

    /// Makes sure that `fire` runs by `deadline`. Later ones wait for the timer to fire and look around.
    mutating func arm(at deadline: NIODeadline, on eventLoop: any EventLoop, _ fire: @escaping () -> Void) {
        guard deadline < self.deadline || scheduled == nil else { return }
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
