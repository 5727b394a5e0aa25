/// The counters of a landscape's SAML2 service provider and identity provider since the start or the last reset.
package struct SAMLCounters: Sendable, Hashable, Codable {
    /// Challenges: requests that were answered with an authentication request.
    package var challenges = 0
    /// Valid authentication requests at the identity provider.
    package var signOns = 0
    /// Shown forms for name or password, also those after a mistake.
    package var loginForms = 0
    /// Logins with forms.
    package var logins = 0
    /// Wrong names or passwords.
    package var failedPasswords = 0
    /// Wrong, old or repeated one-time passwords at the identity provider.
    package var failedPasscodes = 0
    /// Responses without a form, because the user was already logged in.
    package var singleSignOns = 0
    /// Assertions issued.
    package var assertionsIssued = 0
    /// Assertions that began a session at the service provider.
    package var assertionsConsumed = 0
    /// Responses that the service provider refused, replayed ones included.
    package var assertionsRefused = 0
    /// Repeated responses.
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
