import Synchronization

/// Selects the strategy that shows a login: resolvers in order, then a default.
public final class WebStrategies: Sendable {
    /// The default registry of configurators.
    public static let shared = WebStrategies()

    private struct State {
        var resolvers: [any WebLoginStrategyResolver] = []
        var strategy: (any WebLoginStrategy)?
        var oauth2: (any OAuth2WebStrategy)?
        var opener: (any ExternalURLOpener)?
    }

    private let state = Mutex(State())

    /// An empty registry.
    public init() {}

    /// A registry with one strategy for all logins.
    public convenience init(default strategy: some WebLoginStrategy) {
        self.init()
        setDefault(strategy)
    }

    /// Sets the default strategy for logins of every kind, OAuth2 included.
    public func setDefault(_ strategy: some WebLoginStrategy) {
        state.withLock { state in
            state.strategy = strategy
            state.oauth2 = strategy
        }
    }

    /// Adds a resolver; resolvers are asked in order of addition.
    public func register(_ resolver: some WebLoginStrategyResolver) {
        state.withLock { $0.resolvers.append(resolver) }
    }

    /// The strategy for a login that no resolver claims. OAuth2 logins use ``defaultOAuth2Strategy``.
    public var defaultStrategy: (any WebLoginStrategy)? {
        get { state.withLock { $0.strategy } }
        set { state.withLock { $0.strategy = newValue } }
    }

    /// The strategy for an OAuth2 login that no resolver claims.
    public var defaultOAuth2Strategy: (any OAuth2WebStrategy)? {
        get { state.withLock { $0.oauth2 } }
        set { state.withLock { $0.oauth2 = newValue } }
    }

    /// Opens links to other applications, such as the one that makes codes, for configurators without an opener of
    /// their own.
    public var defaultOpener: (any ExternalURLOpener)? {
        get { state.withLock { $0.opener } }
        set { state.withLock { $0.opener = newValue } }
    }

    /// The strategy for a login; nil if there is none.
    public func strategy(for login: WebLogin) -> (any WebLoginStrategy)? {
        // Resolvers are foreign code, so they are called outside the lock.
        let (resolvers, strategy) = state.withLock { ($0.resolvers, $0.strategy) }
        return resolvers.lazy.compactMap { $0.strategy(for: login) }.first ?? strategy
    }

    /// The strategy for an OAuth2 login; nil if there is none.
    public func oauth2Strategy(for configuration: OAuth2Configuration) -> (any OAuth2WebStrategy)? {
        let (resolvers, strategy) = state.withLock { ($0.resolvers, $0.oauth2) }
        return resolvers.lazy.compactMap { $0.oauth2Strategy(for: configuration) }.first ?? strategy
    }
}

/// Selects the strategy for a login.
public protocol WebLoginStrategyResolver: Sendable {
    /// A strategy for this login; nil if this resolver does not handle it. Default: nil.
    func strategy(for login: WebLogin) -> (any WebLoginStrategy)?
    /// A strategy for OAuth2 logins with this configuration; nil if this resolver does not handle them. Default: nil.
    func oauth2Strategy(for configuration: OAuth2Configuration) -> (any OAuth2WebStrategy)?
}

extension WebLoginStrategyResolver {
    public func strategy(for login: WebLogin) -> (any WebLoginStrategy)? { nil }
    public func oauth2Strategy(for configuration: OAuth2Configuration) -> (any OAuth2WebStrategy)? { nil }
}
