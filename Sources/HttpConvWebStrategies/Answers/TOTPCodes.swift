import HttpConvConcurrency
import HttpConvPlatform
import HttpConversation

/// Makes one-time codes, each only once: a server accepts a code only once.
struct TOTPCodes: Sendable {
    let clock: any WallClock
    let used: any UsedCodeStorage

    /// The current code, or that of the first time step whose code is unused.
    func next(for secret: TOTPSecret) async throws -> Redacted<String> {
        while true {
            let current = UInt64(max(0, clock.date.timeIntervalSince1970)) / UInt64(secret.period)
            // A note from the far future was made by a wrong clock: waiting for it would never end.
            let taken = current...current + 1
            guard let last = try await used.note(current, of: secret.fingerprint, unlessLastIn: taken) else {
                return Redacted(secret.code(counter: current))
            }
            // Limits the wait, so that a faulty storage causes neither a busy loop nor an endless wait.
            let next = min(max(last, current), current + 1) + 1
            let date = Date(timeIntervalSince1970: Double(next * UInt64(secret.period)))
            let wait = Duration.seconds(max(0, date.timeIntervalSince(clock.date)))
            Waiting.announce("for the next one-time code: each is good once, and this one was used", wait)
            try await clock.sleep(for: wait)
        }
    }
}
