package import HttpConvConcurrency

/// The settings of a passcode vault in this process.
public struct PasscodeVaultConfiguration: Sendable {
    /// The time to wait for other processes that try a passcode or write, before ``PasscodeVaultError/Code/busy``.
    public var busyTimeout: Duration = .seconds(30)
    /// The clock; tests replace it. The uptime ends the time without use, and the date counts the age of a passcode.
    package var clock: any WallClock = SystemClock()
    /// Whether the vault is locked when the machine goes to sleep, or the device is locked, if the platform reports it.
    public var locksOnSleep = true
    /// The approximate time of one try of a new passcode: the longer it takes, the longer somebody with a copy of the
    /// files has to guess. It is measured when a passcode is made, and the work is never less than
    /// ``ScryptParameters/standard``.
    public var derivationTime: Duration = .seconds(1)
    /// The cost of new passcodes; nil: measured. For tests.
    package var scrypt: ScryptParameters?
    /// Whether a missing directory is created with a vault. The directory of an account that was removed must stay
    /// away.
    package var createsDirectory = true
    /// Keeps the vault's key for fingerprint or face; nil: the system cannot. Tests replace it.
    package var biometricKeys: (any BiometricKeys)? = systemKeys
    /// Called at moments where a crash matters most; for tests.
    package var failPoint: (@Sendable (PasscodeFailPoint) -> Void)?

    /// The default configuration.
    public init() {}

    #if canImport(Security) && !os(Linux)
    private static let systemKeys: (any BiometricKeys)? = KeychainKeys()
    #else
    private static let systemKeys: (any BiometricKeys)? = nil
    #endif
}
