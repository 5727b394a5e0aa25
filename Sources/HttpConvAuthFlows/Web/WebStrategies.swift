import Synchronization

/// Selects the strategy that shows a login: for each kind of login, resolvers in order, then a default.
public final class WebStrategies: Sendable {
    /// The default registry of configurators.
    public static let shared = WebStrategies()

    /// The strategies for one kind of login.
    private struct Choice<Configuration, Strategy: Sendable>: Sendable {
        var resolvers: [@Sendable (Configuration) -> Strategy?] = []
        var fallback: Strategy?
    }

    private struct State {
        var oauth2 = Choice<OAuth2Configuration, any OAuth2WebStrategy>()
        var saml2 = Choice<SAML2Config, any SAML2WebStrategy>()
        var otp = Choice<OTPConfig, any OTPWebStrategy>()
    }

    private let state = Mutex(State())

    /// An empty registry.
    public init() {}

    /// A registry with one strategy for all logins.
    public convenience init(default strategy: some WebLoginStrategy) {
        self.init()
        setDefault(strategy)
    }

    /// Sets the default strategy for logins of every kind.
    public func setDefault(_ strategy: some WebLoginStrategy) {
        state.withLock { state in
            state.oauth2.fallback = strategy
            state.saml2.fallback = strategy
            state.otp.fallback = strategy
        }
    }

    // MARK: OAuth2

    /// Adds a resolver; resolvers are asked in order of addition.
    public func register(_ resolver: some OAuth2WebStrategyResolver) {
        state.withLock { $0.oauth2.resolvers.append { resolver.strategy(for: $0) } }
    }

    /// The strategy for an OAuth2 login that no resolver claims.
    public var defaultOAuth2Strategy: (any OAuth2WebStrategy)? {
        get { state.withLock { $0.oauth2.fallback } }
        set { state.withLock { $0.oauth2.fallback = newValue } }
    }

    /// The strategy for an OAuth2 login; nil if there is none.
    public func oauth2Strategy(for configuration: OAuth2Configuration) -> (any OAuth2WebStrategy)? {
        Self.choose(state.withLock { $0.oauth2 }, for: configuration)
    }

    // MARK: SAML2

    /// Adds a resolver; resolvers are asked in order of addition.
    public func register(_ resolver: some SAML2WebStrategyResolver) {
        state.withLock { $0.saml2.resolvers.append { resolver.strategy(for: $0) } }
    }

    /// The strategy for a SAML2 login that no resolver claims.
    public var defaultSAML2Strategy: (any SAML2WebStrategy)? {
        get { state.withLock { $0.saml2.fallback } }
        set { state.withLock { $0.saml2.fallback = newValue } }
    }

    /// The strategy for a SAML2 login; nil if there is none.
    public func saml2Strategy(for configuration: SAML2Config) -> (any SAML2WebStrategy)? {
        Self.choose(state.withLock { $0.saml2 }, for: configuration)
    }

    // MARK: One-time codes

    /// Adds a resolver; resolvers are asked in order of addition.
    public func register(_ resolver: some OTPWebStrategyResolver) {
        state.withLock { $0.otp.resolvers.append { resolver.strategy(for: $0) } }
    }

    /// The strategy for a one-time-code form that no resolver claims.
    public var defaultOTPStrategy: (any OTPWebStrategy)? {
        get { state.withLock { $0.otp.fallback } }
        set { state.withLock { $0.otp.fallback = newValue } }
    }

    /// The strategy for a one-time-code form; nil if there is none.
    public func otpStrategy(for configuration: OTPConfig) -> (any OTPWebStrategy)? {
        Self.choose(state.withLock { $0.otp }, for: configuration)
    }

    /// Calls resolvers outside the lock: they are foreign code.
    private static func choose<Configuration, Strategy: Sendable>(
        _ choice: Choice<Configuration, Strategy>, for configuration: Configuration
    ) -> Strategy? {
        choice.resolvers.lazy.compactMap { $0(configuration) }.first ?? choice.fallback
    }
}

/// Selects the strategy for an OAuth2 login.
public protocol OAuth2WebStrategyResolver: Sendable {
    /// A strategy for logins with this configuration; nil if this resolver does not handle them.
    func strategy(for configuration: OAuth2Configuration) -> (any OAuth2WebStrategy)?
}

/// Selects the strategy for a SAML2 login.
public protocol SAML2WebStrategyResolver: Sendable {
    /// A strategy for logins with this configuration; nil if this resolver does not handle them.
    func strategy(for configuration: SAML2Config) -> (any SAML2WebStrategy)?
}

/// Selects the strategy for a one-time-code form.
public protocol OTPWebStrategyResolver: Sendable {
    /// A strategy for forms with this configuration; nil if this resolver does not handle them.
    func strategy(for configuration: OTPConfig) -> (any OTPWebStrategy)?
}
