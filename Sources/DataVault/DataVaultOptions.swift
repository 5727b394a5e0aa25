/// How a vault is used by this handle.
public struct DataVaultOptions: Sendable {
    /// How long to wait for other processes that are writing before `.locked` is thrown.
    public var busyTimeout: Duration = .seconds(5)
    /// The time that leases go by.
    public var clock: DataVaultClock = .system
    /// Called where a crash would be most instructive; for tests.
    package var failPoint: (@Sendable (FailPoint) -> Void)?

    /// The default options.
    public init() {}
}
