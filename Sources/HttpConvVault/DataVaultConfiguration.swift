package import HttpConvConcurrency

/// The settings of a vault's handle.
public struct DataVaultConfiguration: Sendable {
    /// The time to wait for other processes that are writing, before `.locked` is thrown.
    public var busyTimeout: Duration = .seconds(5)
    /// The clock for leases; tests replace it. They end by the date, which processes share: a date that jumps can end
    /// one early or late, but ``DataVaultLease/token`` still prevents writes by two holders.
    package var clock: any WallClock = SystemClock()
    /// Whether reads and writes share one connection: opening is cheaper, and reading alone writes nothing. For
    /// short-lived processes.
    public var usesOneConnection = false
    /// Called at moments where a crash matters most; for tests.
    package var failPoint: (@Sendable (FailPoint) -> Void)?

    /// The default configuration.
    public init() {}
}

/// Moments at which tests end the process. Only this package can set them.
package enum FailPoint: String, Codable, CaseIterable, Sendable {
    /// The new vault is complete but has no name yet.
    case draftWritten
    /// The new vault has its name.
    case published
    /// A transaction has begun and done nothing yet.
    case transactionBegun
    /// A transaction has written everything and is not committed.
    case beforeCommit
    /// A transaction is committed.
    case committed
}
