/// What the SAML2 service provider and identity provider have counted since the start or the last reset.
package struct SAMLCounters: Sendable, Hashable, Codable {
    /// Challenges: requests that were answered with an authentication request.
    package var challenges = 0
    /// Authentication requests that arrived at the identity provider and were understood.
    package var signOns = 0
    /// Forms for name or password shown, those after a mistake too.
    package var loginForms = 0
    /// People who completed the login with forms.
    package var logins = 0
    /// Wrong names or passwords.
    package var failedPasswords = 0
    /// Wrong, old or repeated one-time passwords at the identity provider.
    package var failedPasscodes = 0
    /// Responses given without a form because somebody was logged in.
    package var singleSignOns = 0
    /// Assertions issued.
    package var assertionsIssued = 0
    /// Assertions that began a session at the service provider.
    package var assertionsConsumed = 0
    /// Responses that the service provider refused, replayed ones included.
    package var assertionsRefused = 0
    /// Responses that came again.
    package var replays = 0
    /// Artifacts resolved over the back channel.
    package var artifactsResolved = 0
    /// Artifacts that were unknown, expired or used before.
    package var artifactsRefused = 0
    /// Redirects to a finish endpoint with its parameter.
    package var finishes = 0
    /// Requests that met an injected fault.
    package var injectedFaults = 0

    /// All zero.
    package init() {}
}
