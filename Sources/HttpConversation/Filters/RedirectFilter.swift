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
    /// Whether the conversation can be sent again: false once a one-shot body was used.
    public let canBeRepeated: Bool
    /// The conversation.
    public let context: ConversationContext
    /// The session's epoch when the cookies of this exchange were chosen (design.md §3.7).
    package let sentUnder: UInt64

    let body: ResponseBody?
    let drainTimeout: Duration
    let clock: any Clock<Duration> & Sendable

    /// Ends the exchange: nothing is held while a person is asked something (design.md §3.9).
    package func finish() async { await body?.finish(within: drainTimeout, clock: clock) }
}

/// What a redirect filter says.
public enum RedirectVerdict: Sendable {
    /// No objection: the next filter is asked, and finally the redirect policy.
    case follow
    /// The 3xx is the final response.
    case stop
    /// Go back to the original request, for this reason.
    case restart(reason: String)
}
