/// A wait of more than a second that is reported to the user.
package struct LongWait: Hashable, Sendable {
    /// The reason, a phrase such as `for the next one-time code`.
    package let reason: String
    /// The length of the wait, or its limit; nil if unknown.
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

/// Reports each wait of more than a second, in every part of the package.
///
/// The listener is a task-local value, because most code that waits has no other way to report. Without a listener
/// nothing is done.
package enum Waiting {
    /// Receives each wait, on any thread.
    ///
    /// It is a type, because optimised code of other modules finds no metadata of a function type whose parameter has
    /// `package` access (Swift 6.3), and a task-local value of such a type ends the process.
    package struct Listener: Sendable {
        private let report: @Sendable (LongWait) -> Void

        package init(_ report: @escaping @Sendable (LongWait) -> Void) { self.report = report }

        package func callAsFunction(_ wait: LongWait) { report(wait) }
    }

    @TaskLocal package static var listener: Listener?
    /// The length of a wait above which it is reported. Tests change it.
    @TaskLocal package static var reportDelay = Duration.seconds(1)

    /// Reports a wait of known length that begins now.
    package static func announce(_ reason: @autoclosure () -> String, _ duration: Duration) {
        guard duration > reportDelay, let listener else { return }
        listener(LongWait(reason(), duration: duration))
    }

    /// Runs work that may have to wait, and reports the wait when it has lasted too long.
    ///
    /// - Parameter limit: the longest possible wait; nil if there is no limit
    package static func during<Value, Failure: Error>(
        _ reason: @autoclosure @escaping @Sendable () -> String, atMost limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        var notice = Notice()
        notice.begin(reason(), atMost: limit)
        defer { notice.end() }
        return try await work()
    }

    /// A wait whose beginning and end are in different places, for example around the pauses of a loop.
    package struct Notice: ~Copyable {
        private var timer: Task<Void, Never>?

        /// Creates a notice whose wait has not begun.
        package init() {}

        /// Begins the wait, unless it has begun.
        package mutating func begin(
            _ reason: @autoclosure @escaping @Sendable () -> String, atMost limit: Duration? = nil
        ) {
            guard timer == nil, let listener else { return }
            let reportDelay = reportDelay
            timer = Task {
                // Real time, whatever clock the waiting code uses: a person reads the report.
                guard (try? await Task.sleep(for: reportDelay)) != nil else { return }
                listener(LongWait(reason(), duration: limit, isLimit: limit != nil))
            }
        }

        /// Ends the wait. A wait that was not reported by now stays silent.
        package mutating func end() {
            timer?.cancel()
            timer = nil
        }

        deinit { timer?.cancel() }
    }
}
