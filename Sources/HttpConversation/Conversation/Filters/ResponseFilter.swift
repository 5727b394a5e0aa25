public import HTTPTypes

/// Inspects responses that would become final, and may continue the conversation instead.
public protocol ResponseFilter: ConversationFilter {
    /// Whether the filter looks at a response with this head. If not, the response passes it. Called for every
    /// response, so it must be fast and ask nobody. Default: true.
    func concerns(_ head: HTTPResponse, in context: ConversationContext) -> Bool
    /// Decides about one response. The first verdict other than `.proceed` counts.
    func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict
    /// Whether it needs bodies, so that a response to `HEAD` tells it nothing. Default: true. See
    /// ``HttpConversationManager/preflight(_:fields:)-(_,HTTPFields)``.
    var inspectsBodies: Bool { get }
}

extension ResponseFilter {
    public func concerns(_ head: HTTPResponse, in context: ConversationContext) -> Bool { true }
    public var inspectsBodies: Bool { true }
}

/// A response filter's verdict.
public enum ResponseVerdict: Sendable {
    /// No objection: the next filter is asked, then the caller gets the response.
    case proceed
    /// Send this exchange again, with a reason, after a step.
    case repeatExchange(reason: String, after: ConversationStep<StepOutcome>? = nil)
    /// Go back to the original request, with a reason, after a step. Never goes back to before an unsafe request that
    /// was answered.
    case restart(reason: String, after: ConversationStep<StepOutcome>? = nil)
    /// Give the caller this response instead.
    case replace(ReplacementResponse)
}
