/// What web logins of all kinds need beyond the network.
struct WebLoginEnvironment: Sendable {
    var strategies = WebStrategies.shared
    var schemes = CustomURLSchemeManagement.shared
    var opener: (any ExternalURLOpener)?
}
