/// Time since its creation, on any clock.
package struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration

    init(_ clock: some Clock<Duration> & Sendable) {
        let start = clock.now
        read = { start.duration(to: clock.now) }
    }

    package init(any clock: any Clock<Duration> & Sendable) {
        // Reading a clock of unknown type costs several times as much.
        self = (clock as? ContinuousClock).map { Stopwatch($0) } ?? Self.open(clock)
    }

    private static func open(_ clock: some Clock<Duration> & Sendable) -> Stopwatch { Stopwatch(clock) }

    package var elapsed: Duration { read() }
}
