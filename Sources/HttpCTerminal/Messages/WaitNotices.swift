import HttpC
import Synchronization

/// Reports on standard error the reason and the length of waits.
final class WaitNotices: Sendable {
    /// The reported waits, with the end of each: many requests may wait for the same.
    private let said = Mutex<[String: ContinuousClock.Instant]>([:])
    private let diagnostics: Diagnostics

    init(_ diagnostics: Diagnostics) { self.diagnostics = diagnostics }

    func tell(_ wait: ConversationEvent.Wait) {
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
    /// Does work, and reports every wait of more than a second.
    package func tellingWaits<Value>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async rethrows -> Value {
        guard !isSilent else { return try await work() }
        let notices = WaitNotices(self)
        return try await ConversationEvent.Wait.reporting(to: { notices.tell($0) }, isolation: isolation, work)
    }
}
