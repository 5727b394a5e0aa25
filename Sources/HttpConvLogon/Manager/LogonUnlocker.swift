/// Asks a person for the passcode when a request needs a vault that is locked.
public protocol LogonUnlocker: Sendable {
    /// Asks until the vault is open (``Logon/unlock(passcode:)``). Called once for all waiting requests, which hold no
    /// connection meanwhile.
    ///
    /// - Throws: if the person cancels, or the vault is gone: all waiting requests fail with the error
    func unlock(_ logon: Logon) async throws
}
