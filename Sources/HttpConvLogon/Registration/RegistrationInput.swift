public import HttpConvAuthFlows
public import HttpConversation
public import MobileServices

/// The input of a registration: the values of the registration screen, and the person's credentials.
///
/// ```swift
/// var input = RegistrationInput(options)
/// input.values.serverHost = "mobile.example.com"
/// input.credentials = UsernamePassword(username: "alice", password: password)
/// ```
public struct RegistrationInput: Sendable {
    /// The fields of the registration screen.
    public var values: RegistrationDefaults
    /// The login, if the server's address does not imply it.
    public var authentication: RegistrationAuthentication
    /// User name and password at the back end; nil: another login is used. They go to the registered server's origin,
    /// and to ``RegistrationAuthentication/answerOrigins``.
    public var credentials: UsernamePassword?
    /// An existing client certificate; nil: one is enrolled if the options say so.
    public var identity: ClientIdentity?
    /// The challenge password for the certificate server, if a certificate is enrolled.
    public var enrolmentPassword: Redacted<String>?
    /// The properties of the device, for the mobile server.
    public var properties = ConnectionProperties()

    /// Creates an input with the defaults of options.
    public init(_ options: LogonOptions = LogonOptions()) {
        values = options.registration
        authentication = options.authentication
    }
}

extension RegistrationInput: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The server, without anything about the person.
    public var description: String { "registration at \(TerminalText.sanitise(values.serverHost, limit: 80))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["input": description]) }
}
