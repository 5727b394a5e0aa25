import HttpConvAuthFlows
import HttpConvVault
import HttpConversation
import MobileServices

/// The whole registration: in memory until there is a vault, then in the vault.
struct RegistrationRecord: Codable, Sendable {
    var communicator: Communicator
    /// The server's root, as text; read by ``RegistrationProfile``.
    var root: String
    var values: RegistrationDefaults
    var authentication: RegistrationAuthentication
    /// The properties of the device at registration; sent again if the server has lost the registration.
    var properties: ConnectionProperties
    var userName: String?
    var password: String?
    var identity: EnrolledIdentity?
    /// Whether the certificate was enrolled; then an enrolment renews it.
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

    /// The policy for the passcode: the server's, else the options'.
    var passwordPolicy: PasswordPolicy { settings?.passwordPolicy ?? values.passwordPolicy }

    /// Its name in the vault.
    static let name = "registration"
}

extension RegistrationRecord: CustomStringConvertible, CustomReflectable {
    /// The kind of server, without anything about the person.
    var description: String { "registration with a \(communicator)" }
    var customMirror: Mirror { Mirror(self, children: ["record": description]) }
}
