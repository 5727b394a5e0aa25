public import HttpConvVault
public import HttpConversation
public import MobileServices

/// The result of a registration; later the same facts, while the vault is open.
public struct RegistrationResult: Hashable, Sendable {
    /// The kind of server.
    public let communicator: Communicator
    /// The server's root.
    public let root: TargetURL
    /// The server's settings for the application; nil for a gateway, which has none.
    public let settings: ApplicationSettings?
    /// The policy for the vault's passcode: the server's, else the input's.
    public let passwordPolicy: PasswordPolicy
    /// The user name at the back end, if there is one.
    public let userName: String?
}
