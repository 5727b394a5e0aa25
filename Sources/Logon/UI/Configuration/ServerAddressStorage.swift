public import HttpConversation

/// Remembers where the server is, between starts of an application.
///
/// Whoever can change what is remembered decides who is given passwords: keep it where only the person can write.
public protocol ServerAddressStorage: Sendable {
    /// What is remembered; nil: nothing.
    func address() throws(LogonError) -> TargetURL?
    /// Remembers an address in the place of another one; nil: forgets it.
    func keep(_ address: TargetURL?) throws(LogonError)
}
