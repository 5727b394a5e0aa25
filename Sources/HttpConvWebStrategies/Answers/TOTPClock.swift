public import Foundation

/// The clock for one-time codes.
public protocol TOTPClock: Sendable {
    /// The current date and time.
    var now: Date { get }
    /// Waits until a date.
    ///
    /// - Throws: `CancellationError` if the task is cancelled
    func sleep(until date: Date) async throws
}

/// The machine's clock.
public struct SystemTOTPClock: TOTPClock {
    /// Creates the machine's clock.
    public init() {}

    public var now: Date { Date() }

    public func sleep(until date: Date) async throws {
        try await Task.sleep(for: .seconds(max(0, date.timeIntervalSinceNow)))
    }
}
