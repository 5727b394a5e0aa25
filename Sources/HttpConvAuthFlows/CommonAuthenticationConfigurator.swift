public import HttpConversation

/// Configures managers with the authentication flows of this library, for one identity.
///
/// ```swift
/// var configurator = CommonAuthenticationConfigurator()
/// configurator.add(StaticCredentialProvider(username: "alice", password: password))
/// manager.update { $0.apply(configurator) }
/// ```
/// All managers that one configurator (or a copy of it) configures share its session: they are the same person.
public struct CommonAuthenticationConfigurator: ManagerConfigurator {
    /// The identity that the configured managers get.
    public var session: HttpSession
    private var usernamePasswordProviders: [any UsernamePasswordProvider] = []

    /// A configurator without providers.
    public init(session: HttpSession = HttpSession()) { self.session = session }

    /// Adds a provider of user names and passwords; they are asked in order of addition.
    public mutating func add(_ provider: some UsernamePasswordProvider) { usernamePasswordProviders.append(provider) }

    public func configure(_ configuration: inout HttpConversationManager.Configuration) {
        configuration.session = session
    }
}
