package import DataVault

/// How a passcode vault is used by this process.
public struct PasscodeVaultOptions: Sendable {
    /// How long to wait for other processes that try a passcode or write, before ``PasscodeVaultError/Code/busy``.
    public var busyTimeout: Duration = .seconds(30)
    /// The times that the vault goes by.
    public var clock: PasscodeVaultClock = .system
    /// Whether the vault is locked when the machine goes to sleep, or the device is locked, where the platform tells.
    public var locksOnSleep = true
    /// How long one try of a new passcode may take, about: the more, the longer somebody with a copy of the files has
    /// to guess. It is measured when a passcode is made, and is never less work than
    /// ``/DataVault/ScryptParameters/standard``.
    public var derivationTime: Duration = .seconds(1)
    /// The cost of passcodes that are made; nil: measured. For tests.
    package var scrypt: ScryptParameters?
    /// Called where a crash would be most instructive; for tests.
    package var failPoint: (@Sendable (PasscodeFailPoint) -> Void)?

    /// The default options.
    public init() {}
}
