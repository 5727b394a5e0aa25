public import HttpConvAuthFlows
public import HttpConversation
public import MobileServices

/// What a registration is made with: the values of the registration screen, and who the person is.
///
/// ```swift
/// var input = RegistrationInput(options)
/// input.values.serverHost = "mobile.example.com"
/// input.credentials = UsernamePassword(username: "alice", password: password)
/// ```
public struct RegistrationInput: Sendable {
    /// The fields of the registration screen.
    public var values: RegistrationDefaults
    /// How a person logs in, where the server's address alone does not say it.
    public var authentication: RegistrationAuthentication
    /// User name and password at the back end; nil: it is logged in otherwise. They go to the registered server's origin,
    /// and to ``RegistrationAuthentication/answerOrigins``.
    public var credentials: UsernamePassword?
    /// A client certificate that is there already; nil: one is enrolled where the options say so, else there is none.
    public var identity: ClientIdentity?
    /// What the certificate server is told about who asks, where one is enrolled.
    public var enrolmentPassword: Redacted<String>?
    /// What the mobile server is told about the device.
    public var properties = ConnectionProperties()

    /// What the options start with.
    public init(_ options: LogonOptions = LogonOptions()) {
        values = options.registration
        authentication = options.authentication
    }
}

extension RegistrationInput: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The server; nothing about the person.
    public var description: String { "registration at \(TerminalText.sanitise(values.serverHost, limit: 80))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["input": description]) }
}
