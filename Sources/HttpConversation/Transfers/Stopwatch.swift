/// Time since its creation, on any clock.
package struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration

    package init(any clock: any Clock<Duration> & Sendable) {
        read = type(of: clock) == ContinuousClock.self ? Self.continuous() : Self.other(clock)
    }

    /// Nearly all stopwatches have this clock, which its protocol would make several times as slow to read.
    private static func continuous() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }

    private static func other(_ clock: some Clock<Duration> & Sendable) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    package var elapsed: Duration { read() }
}
