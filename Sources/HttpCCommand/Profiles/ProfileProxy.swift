import HttpC

/// The `proxy` of a profile, and the login there.
struct ProfileProxy: Sendable {
    /// The proxy; nil for none, even if the environment names one.
    let server: ProxyServer?
    /// `proxy-user`.
    let username: String?
    /// `proxy-password`, `-env`, `-file`.
    let password: PasswordSource
}
