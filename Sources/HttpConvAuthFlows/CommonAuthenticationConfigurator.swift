public import HttpConversation

/// Configures managers with the authentication flows of this library, for one identity.
///
/// ```swift
/// var configurator = CommonAuthenticationConfigurator()
/// configurator.add(StaticCredentialProvider(username: "alice", password: password))
/// manager.update { $0.apply(configurator) }
/// ```
/// All managers that one configurator (or a copy of it) configures share its session: they are the same person.
/// Configuring twice is harmless; a filter is removed by its id, such as ``UsernamePasswordFilter/id``.
public struct CommonAuthenticationConfigurator: ManagerConfigurator {
    /// The identity that the configured managers get.
    public var session: HttpSession
    private var usernamePasswordProviders: [any UsernamePasswordProvider] = []
    private var usernamePasswordFlow = FlowIdentity()

    /// A configurator without providers.
    public init(session: HttpSession = HttpSession()) { self.session = session }

    /// Adds a provider of user names and passwords; they are asked in order of addition.
    public mutating func add(_ provider: some UsernamePasswordProvider) {
        usernamePasswordProviders.append(provider)
        // A copy may get other providers: their questions must not be taken for this one's.
        usernamePasswordFlow = FlowIdentity()
    }

    public func configure(_ configuration: inout HttpConversationManager.Configuration) {
        configuration.session = session
        guard !usernamePasswordProviders.isEmpty else { return }
        configuration.challengeFilters.add(
            UsernamePasswordFilter(providers: usernamePasswordProviders, flow: usernamePasswordFlow),
            id: UsernamePasswordFilter.id)
    }
}

extension CommonAuthenticationConfigurator: CustomStringConvertible, CustomReflectable {
    /// The number of providers; what they know is not shown.
    public var description: String {
        "CommonAuthenticationConfigurator with \(usernamePasswordProviders.count) password providers"
    }
    public var customMirror: Mirror {
        Mirror(self, children: ["usernamePasswordProviders": usernamePasswordProviders.count])
    }
}
