/// The state of a passcode vault in a process.
public enum PasscodeVaultState: Hashable, Sendable {
    /// The vault exists, and is not open here.
    case locked
    /// Its content can be read and written.
    case unlocked
    /// The vault was destroyed, on request or after the last wrong passcode. This is final.
    case wiped
}
