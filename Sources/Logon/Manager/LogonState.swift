/// How far an application has come aboard.
public enum LogonState: String, Hashable, Sendable, CaseIterable {
    /// Nothing is registered on this device.
    case nothing
    /// Registered, and in memory only: there is no vault yet. What ends the process loses it.
    case registered
    /// There is a vault, and it is locked.
    case locked
    /// The vault is open: requests find in it what they need.
    case unlocked
}
