/// The counters of the second factor since the start or the last reset.
package struct OTPCounters: Sendable, Hashable, Codable {
    /// Redirects to the form.
    package var challenges = 0
    /// Shown forms, also those after a wrong code.
    package var forms = 0
    /// Right codes.
    package var accepted = 0
    /// Wrong codes.
    package var wrong = 0
    /// Codes that had been used, or were older than a used one.
    package var repeated = 0
    /// Tries too soon after a wrong code.
    package var throttled = 0
    /// Browsers refused for lack of the first factor.
    package var strangers = 0

    /// All zero.
    package init() {}
}
