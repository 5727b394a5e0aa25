public import HttpConversation

/// Configures an application's managers with the logins of a registration: certificate, user name and password, OAuth2
/// tokens, SAML2 and one-time codes, tokens against cross-site request forgery, and the fields by which a mobile server
/// knows application and connection. Secrets are read from the vault when needed, and sent to the registered server
/// only.
///
/// ```swift
/// let manager = HttpConversationManager(transport: transport, logon.configurator.asking(dialogue))
/// ```
/// Before the logon every request fails with `ConversationError.Code.authenticationFailed`. The underlying
/// ``LogonError`` says what to do. While the vault is locked, requests wait for the ``unlocker`` without holding a
/// connection; it asks once for all of them. Without an unlocker they fail at once.
public struct LogonConfigurator: ManagerConfigurator {
    /// The logon whose registration is used.
    public let logon: Logon
    /// Asks for the passcode while the vault is locked; nil: requests fail.
    public var unlocker: (any LogonUnlocker)?
    private let logins: PersonConfigurator

    init(_ logon: Logon, _ logins: PersonConfigurator) {
        self.logon = logon
        self.logins = logins
    }

    /// A copy with an unlocker.
    public func asking(_ unlocker: some LogonUnlocker) -> LogonConfigurator {
        var copy = self
        copy.unlocker = unlocker
        return copy
    }

    /// Adds the filters. Repeated calls have no further effect.
    public func configure(_ configuration: inout HttpConversationManager.Configuration) {
        // The gate comes first: nothing else may read the vault, or wait, before it is open.
        configuration.add(
            LogonGate(logon: logon, person: logins.person, unlocker: unlocker), id: "Logon", of: logins.id)
        configuration.apply(logins)
    }
}

extension LogonConfigurator: CustomStringConvertible, CustomReflectable {
    /// The application's id, without anything of the registration.
    public var description: String { "LogonConfigurator of \(logon.application)" }
    public var customMirror: Mirror { Mirror(self, children: ["configurator": description]) }
}
