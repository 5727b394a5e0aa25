public import Foundation
import Synchronization

/// The time of a landscape: real time plus the durations by which a test has advanced it.
public final class LandscapeClock: Sendable {
    private let start = ContinuousClock.now
    private let startDate = Date()
    private let offset = Mutex(Duration.zero)

    /// A clock that shows real time.
    public init() {}

    /// Moves the clock forward at once.
    public func advance(by duration: Duration) {
        offset.withLock { $0 += duration }
    }

    /// The time since the clock was made, advances included.
    public var now: Duration {
        ContinuousClock.now - start + offset.withLock { $0 }
    }

    /// The wall-clock time, advances included.
    public var date: Date {
        startDate.addingTimeInterval(now / .seconds(1))
    }
}
