/// Picks the strategy for an OAuth2 login.
public protocol OAuth2WebStrategyResolver: Sendable {
    /// A strategy for logins with this configuration; nil where it is none of this resolver's business.
    func strategy(for configuration: OAuth2Configuration) -> (any OAuth2WebStrategy)?
}

/// Picks the strategy for a SAML2 login.
public protocol SAML2WebStrategyResolver: Sendable {
    /// A strategy for logins with this configuration; nil where it is none of this resolver's business.
    func strategy(for configuration: SAML2Config) -> (any SAML2WebStrategy)?
}

/// Picks the strategy for a one-time-code form.
public protocol OTPWebStrategyResolver: Sendable {
    /// A strategy for forms with this configuration; nil where it is none of this resolver's business.
    func strategy(for configuration: OTPConfig) -> (any OTPWebStrategy)?
}
