public import HTTPTypes

/// Sees a redirect before it is followed.
public protocol RedirectFilter: ConversationFilter {
    /// Decides about one 3xx. The first verdict other than `.follow` wins.
    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict
}

/// A 3xx with a `Location`, before it is followed.
public struct Redirect: Sendable {
    /// The head of the 3xx.
    public let response: HTTPResponse
    /// The method of the request that was answered with it. Following may change it (RFC 9110 §15.4).
    public let method: HTTPRequest.Method
    /// The URL that was asked.
    public let source: TargetURL
    /// The `Location` as sent, which may be no http URL at all.
    public let location: String
    /// Where following would lead; nil where the location cannot be followed.
    public let destination: TargetURL?
    /// The conversation.
    public let context: ConversationContext

    package init(
        response: HTTPResponse, method: HTTPRequest.Method, source: TargetURL, location: String,
        destination: TargetURL?, context: ConversationContext
    ) {
        self.response = response
        self.method = method
        self.source = source
        self.location = location
        self.destination = destination
        self.context = context
    }
}

/// What a redirect filter says.
public enum RedirectVerdict: Sendable {
    /// No objection: the next filter is asked, and finally the redirect policy.
    case follow
    /// The 3xx is the final response.
    case stop
    /// Go back to the original request, for this reason, once something has happened that has to happen first.
    case restart(reason: String, after: ConversationStep<StepOutcome>? = nil)
}
