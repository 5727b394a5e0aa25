/// A wait of more than a second, as people are told of it.
package struct LongWait: Hashable, Sendable {
    /// What is waited for, in our own words, such as `for the next one-time code`.
    package let reason: String
    /// How long it takes, or at most takes; nil where nobody knows.
    package let duration: Duration?
    /// Whether ``duration`` is a limit.
    package let isLimit: Bool

    package init(_ reason: String, duration: Duration? = nil, isLimit: Bool = false) {
        self.reason = reason
        self.duration = duration
        self.isLimit = isLimit
    }

    /// A sentence, such as `Waiting 23 s for the next one-time code.`
    package var sentence: String {
        let time = seconds.map { " \($0) s" } ?? ""
        return isLimit ? "Waiting \(reason),\(time) at most." : "Waiting\(time) \(reason)."
    }

    /// The duration, rounded up.
    package var seconds: Int64? {
        duration.map(\.components).map { $0.attoseconds > 0 && $0.seconds < .max ? $0.seconds + 1 : $0.seconds }
    }
}

/// Tells of waits: no wait of more than a second is silent, whichever part of the package waits.
///
/// The listener belongs to the task, for most of what waits knows nobody to tell. Without a listener nothing is done.
package enum Waiting {
    /// Told of each wait, on any thread.
    package typealias Listener = @Sendable (LongWait) -> Void

    @TaskLocal package static var listener: Listener?
    /// A wait that is longer is told of. Tests change it.
    @TaskLocal package static var patience = Duration.seconds(1)

    /// Tells of a wait that begins now, and whose length is known.
    package static func announce(_ reason: @autoclosure () -> String, _ duration: Duration) {
        guard duration > patience, let listener else { return }
        listener(LongWait(reason(), duration: duration))
    }

    /// Does something that may have to wait for somebody else; tells of it once that has lasted too long.
    ///
    /// - Parameter limit: how long it can take at most; nil where there is no limit
    package static func during<Value, Failure: Error>(
        _ reason: @autoclosure @escaping @Sendable () -> String, atMost limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        var notice = Notice()
        notice.begin(reason(), atMost: limit)
        defer { notice.end() }
        return try await work()
    }

    /// A wait whose begin and end are at different places, such as around the pauses of a loop.
    package struct Notice: ~Copyable {
        private var timer: Task<Void, Never>?

        /// Nothing is waited for yet.
        package init() {}

        /// Begins the wait, unless it has begun.
        package mutating func begin(
            _ reason: @autoclosure @escaping @Sendable () -> String, atMost limit: Duration? = nil
        ) {
            guard timer == nil, let listener else { return }
            let patience = patience
            timer = Task {
                // Real time, whatever the clock of what waits: a person reads it.
                guard (try? await Task.sleep(for: patience)) != nil else { return }
                listener(LongWait(reason(), duration: limit, isLimit: limit != nil))
            }
        }

        /// Ends the wait: what was not told by now is not told any more.
        package mutating func end() {
            timer?.cancel()
            timer = nil
        }

        deinit { timer?.cancel() }
    }
}
