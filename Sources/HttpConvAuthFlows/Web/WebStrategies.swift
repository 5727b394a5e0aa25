import Synchronization

/// Knows how logins are shown to a person: for each kind of login resolvers in order, then a default (the guide's
/// singleton).
public final class WebStrategies: Sendable {
    /// The registry that configurators use unless they are given another.
    public static let shared = WebStrategies()

    private struct State {
        var oauth2Resolvers: [any OAuth2WebStrategyResolver] = []
        var saml2Resolvers: [any SAML2WebStrategyResolver] = []
        var otpResolvers: [any OTPWebStrategyResolver] = []
        var oauth2Default: (any OAuth2WebStrategy)?
        var saml2Default: (any SAML2WebStrategy)?
        var otpDefault: (any OTPWebStrategy)?
    }

    private let state = Mutex(State())

    /// An empty registry.
    public init() {}

    /// A registry whose every login is shown in one way.
    public convenience init(default strategy: some WebLoginStrategy) {
        self.init()
        setDefault(strategy)
    }

    /// Shows logins of every kind in one way, where no resolver claims them.
    public func setDefault(_ strategy: some WebLoginStrategy) {
        state.withLock { state in
            state.oauth2Default = strategy
            state.saml2Default = strategy
            state.otpDefault = strategy
        }
    }

    // MARK: OAuth2

    /// Adds a resolver; they are asked in order of addition.
    public func register(_ resolver: some OAuth2WebStrategyResolver) {
        state.withLock { $0.oauth2Resolvers.append(resolver) }
    }

    /// What shows an OAuth2 login that no resolver claims.
    public var defaultOAuth2Strategy: (any OAuth2WebStrategy)? {
        get { state.withLock { $0.oauth2Default } }
        set { state.withLock { $0.oauth2Default = newValue } }
    }

    /// The strategy for an OAuth2 login; nil where there is no way to show one.
    public func oauth2Strategy(for configuration: OAuth2Configuration) -> (any OAuth2WebStrategy)? {
        let (resolvers, fallback) = state.withLock { ($0.oauth2Resolvers, $0.oauth2Default) }
        return resolvers.lazy.compactMap { $0.strategy(for: configuration) }.first ?? fallback
    }

    // MARK: SAML2

    /// Adds a resolver; they are asked in order of addition.
    public func register(_ resolver: some SAML2WebStrategyResolver) {
        state.withLock { $0.saml2Resolvers.append(resolver) }
    }

    /// What shows a SAML2 login that no resolver claims.
    public var defaultSAML2Strategy: (any SAML2WebStrategy)? {
        get { state.withLock { $0.saml2Default } }
        set { state.withLock { $0.saml2Default = newValue } }
    }

    /// The strategy for a SAML2 login; nil where there is no way to show one.
    public func saml2Strategy(for configuration: SAML2Config) -> (any SAML2WebStrategy)? {
        let (resolvers, fallback) = state.withLock { ($0.saml2Resolvers, $0.saml2Default) }
        return resolvers.lazy.compactMap { $0.strategy(for: configuration) }.first ?? fallback
    }

    // MARK: One-time codes

    /// Adds a resolver; they are asked in order of addition.
    public func register(_ resolver: some OTPWebStrategyResolver) {
        state.withLock { $0.otpResolvers.append(resolver) }
    }

    /// What shows a one-time-code form that no resolver claims.
    public var defaultOTPStrategy: (any OTPWebStrategy)? {
        get { state.withLock { $0.otpDefault } }
        set { state.withLock { $0.otpDefault = newValue } }
    }

    /// The strategy for a one-time-code form; nil where there is no way to show one.
    public func otpStrategy(for configuration: OTPConfig) -> (any OTPWebStrategy)? {
        let (resolvers, fallback) = state.withLock { ($0.otpResolvers, $0.otpDefault) }
        return resolvers.lazy.compactMap { $0.strategy(for: configuration) }.first ?? fallback
    }
}
