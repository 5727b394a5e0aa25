/// The state of an application's registration.
public enum LogonState: String, Hashable, Sendable, CaseIterable {
    /// Nothing is registered on this device.
    case nothing
    /// Registered, in memory only: there is no vault yet. If the process ends, the registration is lost.
    case registered
    /// There is a vault, and it is locked.
    case locked
    /// The vault is open: requests can use the registration.
    case unlocked
}
