/// Sees responses that are about to become final, and may go on instead.
public protocol ResponseFilter: ConversationFilter {
    /// Decides about one response. The first verdict other than `.proceed` wins.
    func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict
    /// Whether it needs bodies to recognise what it looks for, so that a response to `HEAD` tells it nothing. Default: it
    /// does. See ``HttpConversationManager/preflight(_:fields:)-(_,HTTPFields)``.
    var inspectsBodies: Bool { get }
}

extension ResponseFilter {
    public var inspectsBodies: Bool { true }
}

/// What a response filter says.
public enum ResponseVerdict: Sendable {
    /// Not mine: the next filter is asked, then the caller gets the response.
    case proceed
    /// Send this exchange again, for this reason, once something has happened that has to happen first.
    case repeatExchange(reason: String, after: ConversationStep<StepOutcome>? = nil)
    /// Go back to the original request (never to before an unsafe request that was answered), for this reason, once
    /// something has happened that has to happen first.
    case restart(reason: String, after: ConversationStep<StepOutcome>? = nil)
    /// Give the caller this response instead.
    case replace(ReplacementResponse)
}
