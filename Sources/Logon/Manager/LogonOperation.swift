/// What a ``Logon`` can be asked to do. One at a time; ``lock`` and ``cancel`` at any time.
public enum LogonOperation: String, Hashable, Sendable, CaseIterable {
    /// Finds the server, logs in there and registers: the first of two steps.
    case register
    /// Makes the vault that keeps the registration: the second step.
    case makeVault
    /// Logs in at the server now, instead of with the next request that needs it.
    case logon
    /// Opens the vault.
    case unlock
    /// Locks the vault.
    case lock
    /// Gives the vault another passcode.
    case changePasscode
    /// Keeps another password for the back end, once the back end has accepted it.
    case changeBackendPassword
    /// Reads what the server wants of the application, and obeys.
    case refreshSettings
    /// Removes the registration from the server, and then the vault.
    case unregister
    /// Removes everything from this device, also where the server cannot be told.
    case deleteUser
    /// Ends what is in progress.
    case cancel
}
