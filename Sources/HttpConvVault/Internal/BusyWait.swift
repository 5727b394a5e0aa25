internal import HttpConvConcurrency

/// The pauses between attempts while another process is busy, for at most the busy time. They are reported.
struct BusyWait: ~Copyable {
    private let reason: String
    private let limit: Duration
    private let clock: any WallClock
    private var waited = Duration.zero
    private var notice = Waiting.Notice()

    /// - Parameter reason: a phrase such as `for another process`
    init(_ reason: String, atMost limit: Duration, _ clock: any WallClock) {
        (self.reason, self.limit, self.clock) = (reason, limit, clock)
    }

    /// Begins the wait before the first pause.
    mutating func begin() {
        let reason = reason
        notice.begin(reason, atMost: limit)
    }

    /// Pauses before the next attempt; returns false if the busy time is over. Throws `.cancelled`.
    mutating func pause(_ time: Duration = .milliseconds(20)) async throws(DataVaultError) -> Bool {
        guard waited < limit else { return false }
        begin()
        waited += try await clock.pause(time)
        return true
    }
}
