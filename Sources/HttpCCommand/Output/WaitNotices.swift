import HttpC
import HttpConvConcurrency
import Synchronization

/// Says on standard error what the command waits for, and how long.
final class WaitNotices: Sendable {
    /// What was said, and until when it holds: many requests may wait for the same.
    private let said = Mutex<[String: ContinuousClock.Instant]>([:])
    private let diagnostics: Diagnostics

    init(_ diagnostics: Diagnostics) { self.diagnostics = diagnostics }

    func tell(_ wait: LongWait) {
        let now = ContinuousClock.now
        let isNew = said.withLock { said in
            if let until = said[wait.reason], until > now { return false }
            said[wait.reason] = now + (wait.duration ?? .seconds(60))
            return true
        }
        if isNew { diagnostics.message(TerminalText.sanitise(wait.sentence, limit: 400)) }
    }
}

extension Diagnostics {
    /// Does something during which no wait of more than a second is silent.
    func tellingWaits<Value>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async rethrows -> Value {
        guard !isSilent else { return try await work() }
        let notices = WaitNotices(self)
        return try await Waiting.$listener.withValue({ notices.tell($0) }, operation: work, isolation: isolation)
    }
}
