/// How a vault is used by this handle.
public struct DataVaultOptions: Sendable {
    /// How long to wait for other processes that are writing before `.locked` is thrown.
    public var busyTimeout: Duration = .seconds(5)
    /// The time that leases go by.
    public var clock: DataVaultClock = .system
    /// Whether reads and writes take turns on one connection: opening is cheaper, and who only reads writes nothing. For
    /// processes that soon end.
    package var usesOneConnection = false
    /// Called where a crash would be most instructive; for tests.
    package var failPoint: (@Sendable (FailPoint) -> Void)?

    /// The default options.
    public init() {}
}
