internal import HttpConvConcurrency

/// Waits that observers are told of (``ConversationEvent/Kind/waiting``).
extension ConversationContext {
    /// Tells of a wait that begins now, and whose length is known. One of no more than a second is not worth telling.
    ///
    /// - Parameters:
    ///   - reason: what is waited for, in words that follow "waiting", such as `for the next one-time code`; never secret
    ///   - duration: how long
    public func announceWait(_ reason: @autoclosure () -> String, _ duration: Duration) {
        Waiting.announce(reason(), duration)
    }

    /// Does something that may have to wait for somebody else, and tells of it once that has lasted for more than a second.
    ///
    /// - Parameters:
    ///   - reason: what is waited for, in words that follow "waiting"; never secret
    ///   - limit: how long it can take at most; nil where there is no limit
    ///   - isolation: the actor on which the work runs; the caller's
    ///   - work: what may have to wait
    public func waiting<Value, Failure: Error>(
        _ reason: @autoclosure @escaping @Sendable () -> String, atMost limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await Waiting.during(reason(), atMost: limit, isolation: isolation, work)
    }

    /// Who hears of the waits of this conversation and of its children; nil where nobody observes it.
    var waitListener: Waiting.Listener? {
        guard parent == nil, log.isActive else { return nil }
        let outer = Waiting.listener
        return { [log] wait in
            log.emit(.waiting) {
                $0.reason = wait.reason
                $0.duration = wait.duration
                if let seconds = wait.seconds { $0.details = ["seconds": "\(seconds)"] }
            }
            outer?(wait)
        }
    }
}
