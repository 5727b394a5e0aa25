public import HttpConversation
public import MobileServices

/// What came of a registration; later, what is known of it while the vault is open.
public struct RegistrationResult: Hashable, Sendable {
    /// What the application is registered with.
    public let communicator: Communicator
    /// The server's root.
    public let root: TargetURL
    /// What the server wants of the application; nil for a gateway, which wants nothing.
    public let settings: ApplicationSettings?
    /// What is wanted of the vault's passcode: by the server, else by the input.
    public let passwordPolicy: PasswordPolicy
    /// The name at the back end, where there is one.
    public let userName: String?
}
