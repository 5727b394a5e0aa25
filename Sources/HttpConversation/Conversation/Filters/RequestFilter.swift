/// Changes requests before they are sent.
///
/// `prepare` runs once per attempt on a fresh copy of the caller's request. `authorize` runs before every exchange,
/// including redirect hops and repetitions. Secrets are attached only in `authorize`, for that exchange's URL.
public protocol RequestFilter: ConversationFilter {
    /// Runs once per attempt. Default: nothing.
    func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws
    /// Runs before every exchange, after the hop policy. Default: nothing. Leave an `Authorization` that is set
    /// already.
    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws
}

extension RequestFilter {
    public func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws {}
    public func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {}
}
