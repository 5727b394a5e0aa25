internal import HttpConvConcurrency

/// Waits that are reported to observers (``ConversationEvent/Kind/waiting(_:)``).
extension ConversationContext {
    /// Reports a wait of a known length that begins now. Waits of up to a second are not reported.
    ///
    /// - Parameters:
    ///   - reason: the reason, in words that follow "waiting", such as `for the next one-time code`; never secret
    ///   - duration: the length of the wait
    public func announceWait(_ reason: @autoclosure () -> String, _ duration: Duration) {
        Waiting.announce(reason(), duration)
    }

    /// Runs work that may have to wait, and reports the wait once it has lasted for more than a second.
    ///
    /// - Parameters:
    ///   - reason: the reason, in words that follow "waiting"; never secret
    ///   - limit: the maximum wait; nil if there is none
    ///   - isolation: the actor on which the work runs; the caller's
    ///   - work: the work
    public func waiting<Value, Failure: Error>(
        _ reason: @autoclosure @escaping @Sendable () -> String, atMost limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await Waiting.during(reason(), atMost: limit, isolation: isolation, work)
    }

    /// Reports the waits of this conversation and of its children to its observers; nil without observers.
    var waitListener: Waiting.Listener? {
        guard parent == nil, let log else { return nil }
        let outer = Waiting.listener
        return Waiting.Listener { wait in
            log.emit(.waiting(.init(wait)))
            outer?(wait)
        }
    }
}
