/// What the second factor has counted since the start or the last reset.
package struct OTPCounters: Sendable, Hashable, Codable {
    /// Redirects to the form.
    package var challenges = 0
    /// Forms shown, those after a wrong code too.
    package var forms = 0
    /// Right codes.
    package var accepted = 0
    /// Wrong codes.
    package var wrong = 0
    /// Codes that had been used, or were older than one that had.
    package var repeated = 0
    /// Tries too soon after a wrong code.
    package var throttled = 0
    /// Browsers refused because they had not passed the first factor.
    package var strangers = 0

    /// All zero.
    package init() {}
}
