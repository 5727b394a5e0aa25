public import HttpConvLogon
public import HttpConversation

/// Remembers the server's address between starts of an application.
///
/// A changed address redirects passwords: keep it where only the person can write.
public protocol ServerAddressStorage: Sendable {
    /// The remembered address; nil: none.
    func address() throws(LogonError) -> TargetURL?
    /// Replaces the remembered address; nil: forgets it.
    func keep(_ address: TargetURL?) throws(LogonError)
}
