public import HttpConversation

/// Configures an application's managers by a logon: certificate, user name and password, OAuth2 tokens, SAML2 and one-time
/// codes, tokens against cross-site request forgery, and the fields by which a mobile server knows application and
/// connection. What they need is read from the vault when it is needed, and goes to the registered server only.
///
/// ```swift
/// let manager = HttpConversationManager(transport: transport, logon.configurator.asking(dialogue))
/// ```
/// Before the logon every request fails with `ConversationError.Code.authenticationFailed`, and the ``LogonError`` below
/// says what to do. While the vault is locked, requests wait for the ``unlocker``: one question for all of them, and none
/// holds a connection. Without one they fail at once.
public struct LogonConfigurator: ManagerConfigurator {
    /// Whose registration it is.
    public let logon: Logon
    /// Who is asked while the vault is locked; nil: nobody is there.
    public var unlocker: (any LogonUnlocker)?
    private let logins: PersonConfigurator

    init(_ logon: Logon, _ logins: PersonConfigurator) {
        self.logon = logon
        self.logins = logins
    }

    /// The same with somebody to ask.
    public func asking(_ unlocker: some LogonUnlocker) -> LogonConfigurator {
        var copy = self
        copy.unlocker = unlocker
        return copy
    }

    /// Adds the filters, once however often.
    public func configure(_ configuration: inout HttpConversationManager.Configuration) {
        // First: nothing else may read the vault, or wait, before it is open.
        configuration.add(
            LogonGate(logon: logon, person: logins.person, unlocker: unlocker), id: "Logon", of: logins.id)
        configuration.apply(logins)
    }
}

extension LogonConfigurator: CustomStringConvertible, CustomReflectable {
    /// The application; nothing of what is registered.
    public var description: String { "LogonConfigurator of \(logon.application)" }
    public var customMirror: Mirror { Mirror(self, children: ["configurator": description]) }
}
