import Synchronization

/// Knows how logins are shown to a person: resolvers in order, then a default (the guide's singleton).
public final class WebStrategies: Sendable {
    /// The registry that configurators use unless they are given another.
    public static let shared = WebStrategies()

    private struct State {
        var oauth2Resolvers: [any OAuth2WebStrategyResolver] = []
        var oauth2Default: (any OAuth2WebStrategy)?
    }

    private let state = Mutex(State())

    /// An empty registry.
    public init() {}

    /// Adds a resolver; they are asked in order of addition.
    public func register(_ resolver: some OAuth2WebStrategyResolver) {
        state.withLock { $0.oauth2Resolvers.append(resolver) }
    }

    /// What shows a login that no resolver claims.
    public var defaultOAuth2Strategy: (any OAuth2WebStrategy)? {
        get { state.withLock { $0.oauth2Default } }
        set { state.withLock { $0.oauth2Default = newValue } }
    }

    /// The strategy for a login; nil where there is no way to show one.
    public func oauth2Strategy(for configuration: OAuth2Configuration) -> (any OAuth2WebStrategy)? {
        let (resolvers, fallback) = state.withLock { ($0.oauth2Resolvers, $0.oauth2Default) }
        return resolvers.lazy.compactMap { $0.strategy(for: configuration) }.first ?? fallback
    }
}
