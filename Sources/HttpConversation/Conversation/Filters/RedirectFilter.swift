public import HTTPTypes

/// Inspects redirects before they are followed.
public protocol RedirectFilter: ConversationFilter {
    /// Whether the filter decides about this redirect. If not, it does not object. Called for every redirect, so it
    /// must be fast and ask nobody. Default: true.
    func concerns(_ redirect: Redirect) -> Bool
    /// Decides about one 3xx. The first verdict other than `.follow` counts.
    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict
}

extension RedirectFilter {
    public func concerns(_ redirect: Redirect) -> Bool { true }
}

/// A 3xx with a `Location`, before it is followed.
public struct Redirect: Sendable {
    /// The head of the 3xx.
    public let response: HTTPResponse
    /// The method of the request that was redirected. Following may change it (RFC 9110 §15.4).
    public let method: HTTPRequest.Method
    /// The URL of that request.
    public let source: TargetURL
    /// The `Location` as sent, which may be invalid.
    public let location: String
    /// The URL that following would lead to; nil if the location cannot be followed.
    public let destination: TargetURL?
    /// The conversation.
    public let context: ConversationContext
    /// The `Cookie` field of the request that was redirected.
    package let sentCookies: Redacted<String>?

    /// Whether following looks like a login rather than the answer: the destination is a request to an identity
    /// provider (SAML2, OAuth2, WS-Federation), or its query names the source as the place to return to. Logins that do
    /// neither are not recognised.
    public var leadsToLogin: Bool { destination.flatMap { LoginDetour(from: source, to: $0) } != nil }

    package init(
        response: HTTPResponse, method: HTTPRequest.Method, source: TargetURL, location: String,
        destination: TargetURL?, context: ConversationContext, sentCookies: Redacted<String>? = nil
    ) {
        self.response = response
        self.method = method
        self.source = source
        self.location = location
        self.destination = destination
        self.context = context
        self.sentCookies = sentCookies
    }
}

/// A redirect filter's verdict.
public enum RedirectVerdict: Sendable {
    /// No objection: the next filter is asked, and finally the redirect policy.
    case follow
    /// The 3xx is the final response.
    case stop
    /// Go back to the original request, with a reason, after a step.
    case restart(reason: String, after: ConversationStep<StepOutcome>? = nil)
}
