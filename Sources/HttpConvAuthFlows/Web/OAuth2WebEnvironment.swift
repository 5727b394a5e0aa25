import UserInteractionMultiplexing

/// What a login needs beyond the network.
struct OAuth2WebEnvironment: Sendable {
    let strategies: WebStrategies
    let multiplexer: UserInteractionMultiplexer
    /// Logins of different identities are different screens (security rule S2).
    let identity: FlowIdentity
}
