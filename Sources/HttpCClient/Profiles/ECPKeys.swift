import HttpC

/// The keys of `[profiles.NAME.saml2]` with `ecp`.
struct ECPKeys: Sendable {
    /// The identity provider's endpoint for ECP.
    let identityProvider: TargetURL
    /// The login there; nil: Kerberos tickets.
    let basic: BasicTable?
}
