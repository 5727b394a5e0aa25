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
