/// The counters of the second factor since the start or the last reset.
public struct OTPCounters: Sendable, Hashable, Codable {
    /// Redirects to the form.
    public var challenges = 0
    /// Shown forms, also those after a wrong code.
    public var forms = 0
    /// Right codes.
    public var accepted = 0
    /// Wrong codes.
    public var wrong = 0
    /// Codes that had been used, or were older than a used one.
    public var repeated = 0
    /// Tries too soon after a wrong code.
    public var throttled = 0
    /// Browsers refused for lack of the first factor.
    public var strangers = 0
}
