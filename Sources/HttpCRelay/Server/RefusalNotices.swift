import Synchronization

/// Tells the relay's owner about clients that were refused without an answer, each reason once a minute at most.
final class RefusalNotices: Sendable {
    private static let pause = Duration.seconds(60)

    private let tell: @Sendable (String) -> Void
    private let told = Mutex<[String: ContinuousClock.Instant]>([:])

    init(_ tell: @escaping @Sendable (String) -> Void) { self.tell = tell }

    /// A client's program belongs to another user.
    func refused(user: UInt32, at now: ContinuousClock.Instant = .now) {
        note("A program of the user \(user) was refused: only yours may use the relay.", now)
    }

    /// A client came although as many connections as may be were open.
    func refused(connections: Int, at now: ContinuousClock.Instant = .now) {
        note("A connection was refused: the relay has \(connections) open ones already, and takes no more.", now)
    }

    private func note(_ text: String, _ now: ContinuousClock.Instant) {
        let isNew = told.withLock { told in
            told = told.filter { now < $0.value + Self.pause }
            guard told[text] == nil else { return false }
            told[text] = now
            return true
        }
        if isNew { tell(text) }
    }
}
