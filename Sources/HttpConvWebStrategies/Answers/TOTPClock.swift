public import Foundation

/// The time by which one-time codes are made.
public protocol TOTPClock: Sendable {
    /// The time of day.
    var now: Date { get }
    /// Waits until then.
    ///
    /// - Throws: `CancellationError` where the task is cancelled
    func sleep(until date: Date) async throws
}

/// The machine's own time.
public struct SystemTOTPClock: TOTPClock {
    /// The machine's own time.
    public init() {}

    public var now: Date { Date() }

    public func sleep(until date: Date) async throws {
        try await Task.sleep(for: .seconds(max(0, date.timeIntervalSinceNow)))
    }
}
