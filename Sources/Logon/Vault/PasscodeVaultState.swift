/// Whether what is in a passcode vault can be had.
public enum PasscodeVaultState: Hashable, Sendable {
    /// There is a vault; nobody has opened it here, or it was locked again.
    case locked
    /// What is in it can be read and written.
    case unlocked
    /// It was destroyed, by hand or after the last wrong passcode, and does not come back.
    case wiped
}
