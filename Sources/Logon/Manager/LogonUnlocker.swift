/// Asks a person for the passcode when a request needs a vault that is locked.
public protocol LogonUnlocker: Sendable {
    /// Asks until the vault is open (``Logon/unlock(passcode:)``). Called once for all requests that wait; none of them
    /// holds a connection meanwhile.
    ///
    /// - Throws: where the person says no, or the vault is gone: all requests that wait fail with it
    func unlock(_ logon: Logon) async throws
}
