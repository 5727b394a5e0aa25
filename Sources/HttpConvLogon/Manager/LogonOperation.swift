/// An operation of a ``Logon``. One runs at a time; ``lock`` and ``cancel`` are possible at any time.
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
    /// Stores another password for the back end, once the back end has accepted it.
    case changeBackendPassword
    /// Reads the server's settings for the application, and applies them.
    case refreshSettings
    /// Uploads a trace to the server.
    case uploadTrace
    /// Removes the registration from the server, and then the vault.
    case unregister
    /// Removes everything from this device, even if the server cannot be told.
    case deleteUser
    /// Cancels the operation in progress.
    case cancel
}
