/// The settings of a vault's handle.
public struct DataVaultOptions: Sendable {
    /// The time to wait for other processes that are writing, before `.locked` is thrown.
    public var busyTimeout: Duration = .seconds(5)
    /// The clock for leases.
    public var clock: VaultClock = .system
    /// Whether reads and writes share one connection: opening is cheaper, and reading alone writes nothing. For
    /// short-lived processes.
    public var usesOneConnection = false
    /// Called at moments where a crash matters most; for tests.
    package var failPoint: (@Sendable (FailPoint) -> Void)?

    /// The default options.
    public init() {}
}
