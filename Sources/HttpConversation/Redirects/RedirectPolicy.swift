/// The rules for redirects (RFC 9110 §15.4, security rule S9).
public struct RedirectPolicy: Sendable {
    /// The handling of a redirect that `allows` refuses.
    public enum Refusal: Sendable {
        /// The conversation fails with `.redirectRefused`.
        case fail
        /// The caller gets the 3xx.
        case deliver
    }

    /// Whether redirects are followed; if not, the 3xx is the final response.
    public var follows = true
    /// The maximum number of redirects in one attempt.
    public var maximumRedirects = 20
    /// Whether https may lead to http.
    public var allowsDowngrade = false
    /// A whitelist: whether a redirect may be followed. Nil: every redirect that the other rules permit.
    public var allows: (@Sendable (_ source: TargetURL, _ destination: TargetURL) -> Bool)?
    /// The handling of a redirect that `allows` refuses.
    public var refusal = Refusal.fail

    /// Creates the default policy: follow up to 20 redirects, never from https to http.
    public init() {}
}
