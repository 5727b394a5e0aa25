/// What redirects may do (RFC 9110 §15.4, security rule S9).
public struct RedirectPolicy: Sendable {
    /// What happens to a redirect that `allows` refuses.
    public enum Refusal: Sendable {
        /// The conversation fails with `.redirectRefused`.
        case fail
        /// The caller gets the 3xx.
        case deliver
    }

    /// Whether redirects are followed at all; where not, the 3xx is the final response.
    public var follows = true
    /// The number of redirects in one attempt.
    public var maximumRedirects = 20
    /// Whether https may lead to http.
    public var allowsDowngrade = false
    /// A whitelist: whether this redirect may be followed. Nil: every one that the other rules allow.
    public var allows: (@Sendable (_ source: TargetURL, _ destination: TargetURL) -> Bool)?
    /// What happens to a redirect that `allows` refuses.
    public var refusal = Refusal.fail

    /// The defaults: follow up to 20, never from https to http.
    public init() {}
}
