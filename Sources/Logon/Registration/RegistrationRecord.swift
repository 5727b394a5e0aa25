import HttpConvAuthFlows
import HttpConversation
import MobileServices

/// What a registration is, all of it: in memory until there is a vault, then there.
struct RegistrationRecord: Codable, Sendable {
    var communicator: Communicator
    /// The server's root, as text; read by ``RegistrationProfile``.
    var root: String
    var values: RegistrationDefaults
    var authentication: RegistrationAuthentication
    /// What the device was registered as; sent again where the server has forgotten it.
    var properties: ConnectionProperties
    var userName: String?
    var password: String?
    var identity: EnrolledIdentity?
    /// Whether the certificate came by an enrolment: then it is renewed by one.
    var isEnrolled: Bool
    var connectionID: String?
    var settings: ApplicationSettings?

    init(_ found: DetectedCommunicator, _ input: RegistrationInput, identity: EnrolledIdentity?) {
        communicator = found.communicator
        root = found.root.absoluteString
        values = input.values
        authentication = input.authentication
        properties = input.properties
        userName = input.credentials?.username
        password = input.credentials?.password.value
        self.identity = identity
        isEnrolled = identity != nil && input.identity == nil
    }

    var credentials: UsernamePassword? {
        guard let userName, let password else { return nil }
        return UsernamePassword(username: userName, password: password)
    }

    /// What is wanted of the passcode: by the server, else by whoever made the options.
    var passwordPolicy: PasswordPolicy { settings?.passwordPolicy ?? values.passwordPolicy }

    /// Its name in the vault.
    static let name = "registration"
}

extension RegistrationRecord: CustomStringConvertible, CustomReflectable {
    /// What it is registered with; nothing about the person.
    var description: String { "registration with a \(communicator)" }
    var customMirror: Mirror { Mirror(self, children: ["record": description]) }
}
