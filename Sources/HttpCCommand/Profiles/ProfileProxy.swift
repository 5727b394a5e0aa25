import HttpC

/// `proxy` of a profile, and who it is for there.
struct ProfileProxy: Sendable {
    /// Nil: none, whatever the environment says.
    let server: ProxyServer?
    /// `proxy-user`.
    let username: String?
    /// `proxy-password`, `-env`, `-file`.
    let password: PasswordSource
}
