/// Changes requests on their way out.
///
/// `prepare` runs once per attempt on a fresh copy of the caller's request; `authorize` before every exchange, redirect
/// hops and repetitions included. Anything secret is attached in `authorize`, for that exchange's URL, and nowhere else.
public protocol RequestFilter: ConversationFilter {
    /// Once per attempt. Default: nothing.
    func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws
    /// Before every exchange, after the hop policy. Default: nothing. An `Authorization` that is set already stays.
    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws
}

extension RequestFilter {
    public func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws {}
    public func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {}
}
