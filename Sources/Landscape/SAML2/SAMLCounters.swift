/// What the SAML2 service provider and identity provider have counted since the start or the last reset.
public struct SAMLCounters: Sendable, Hashable, Codable {
    /// Challenges: requests that were answered with an authentication request.
    public var challenges = 0
    /// Authentication requests that arrived at the identity provider and were understood.
    public var signOns = 0
    /// Forms for name or password shown, those after a mistake too.
    public var loginForms = 0
    /// People who completed the login with forms.
    public var logins = 0
    /// Wrong names or passwords.
    public var failedPasswords = 0
    /// Wrong, old or repeated one-time passwords at the identity provider.
    public var failedPasscodes = 0
    /// Responses given without a form because somebody was logged in.
    public var singleSignOns = 0
    /// Assertions issued.
    public var assertionsIssued = 0
    /// Assertions that began a session at the service provider.
    public var assertionsConsumed = 0
    /// Responses that the service provider refused, replayed ones included.
    public var assertionsRefused = 0
    /// Responses that came again.
    public var replays = 0
    /// Artifacts resolved over the back channel.
    public var artifactsResolved = 0
    /// Artifacts that were unknown, expired or used before.
    public var artifactsRefused = 0
    /// Redirects to a finish endpoint with its parameter.
    public var finishes = 0
    /// Requests that met an injected fault.
    public var injectedFaults = 0

    /// All zero.
    public init() {}
}
