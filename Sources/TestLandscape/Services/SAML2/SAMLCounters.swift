/// The counters of a landscape's SAML2 service provider and identity provider since the start or the last reset.
public struct SAMLCounters: Sendable, Hashable, Codable {
    /// Challenges: requests that were answered with an authentication request.
    public var challenges = 0
    /// Valid authentication requests at the identity provider.
    public var signOns = 0
    /// Shown forms for name or password, also those after a mistake.
    public var loginForms = 0
    /// Logins with forms.
    public var logins = 0
    /// Wrong names or passwords.
    public var failedPasswords = 0
    /// Wrong, old or repeated one-time passwords at the identity provider.
    public var failedPasscodes = 0
    /// Responses without a form, because the user was already logged in.
    public var singleSignOns = 0
    /// Assertions issued.
    public var assertionsIssued = 0
    /// Assertions that began a session at the service provider.
    public var assertionsConsumed = 0
    /// Responses that the service provider refused, replayed ones included.
    public var assertionsRefused = 0
    /// Repeated responses.
    public var replays = 0
    /// Artifacts resolved over the back channel.
    public var artifactsResolved = 0
    /// Artifacts that were unknown, expired or used before.
    public var artifactsRefused = 0
    /// Redirects to a finish endpoint with its parameter.
    public var finishes = 0
    /// Requests that met an injected fault.
    public var injectedFaults = 0
}
