public import HttpConversation

/// Configures an application's managers by a logon: certificate, user name and password, OAuth2 tokens, SAML2 and one-time
/// codes, tokens against cross-site request forgery, and the fields by which a mobile server knows application and
/// connection. What they need is read from the vault when it is needed.
///
/// ```swift
/// let manager = HttpConversationManager(transport: transport, logon.configurator)
/// ```
/// Before the logon every request fails with a ``LogonError`` that says so. While the vault is locked, requests wait for
/// the ``unlocker``, one question for all of them; without one they fail at once.
public struct LogonConfigurator: ManagerConfigurator {
    /// Whose registration it is.
    public let logon: Logon
    /// Who is asked while the vault is locked; nil: nobody is there.
    public var unlocker: (any LogonUnlocker)?

    init(_ logon: Logon, unlocker: (any LogonUnlocker)? = nil) {
        self.logon = logon
        self.unlocker = unlocker
    }

    /// The same with somebody to ask.
    public func asking(_ unlocker: some LogonUnlocker) -> LogonConfigurator {
        LogonConfigurator(logon, unlocker: unlocker)
    }

    public func configure(_ configuration: inout HttpConversationManager.Configuration) {}
}
