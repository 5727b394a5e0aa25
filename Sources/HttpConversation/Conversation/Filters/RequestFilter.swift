/// Changes requests before they are sent.
///
/// `prepare` runs once per attempt on a fresh copy of the caller's request. `authorize` runs before every exchange,
/// including redirect hops and repetitions. Secrets are attached only in `authorize`, for that exchange's URL.
public protocol RequestFilter: ConversationFilter {
    /// Whether the filter changes requests in `prepare`; if not, that is not called. Asked once for each configuration.
    /// Default: true.
    var preparesRequests: Bool { get }
    /// Runs once per attempt. An attempt may begin at another server than the caller's, after a redirect that answered a
    /// modifying request: that server gets only harmless fields, as ``CredentialPolicy`` says. Default: nothing.
    func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws
    /// Does the work of `authorize` where that needs no wait, which is much cheaper. Called first, before every
    /// exchange.
    ///
    /// - Returns: whether the work is done. If not, the request must be unchanged, and `authorize` is called. Default:
    ///   false
    func authorizeAtOnce(_ request: inout ConversationRequest, in context: ConversationContext) throws -> Bool
    /// Runs before every exchange, after ``CredentialPolicy`` has removed the fields that stay with another origin,
    /// unless `authorizeAtOnce` has done the work. Default: nothing. Keep an `Authorization` field that is set already.
    nonisolated(nonsending) func authorize(
        _ request: inout ConversationRequest, in context: ConversationContext
    ) async throws
}

extension RequestFilter {
    public var preparesRequests: Bool { true }
    public func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws {}
    public func authorizeAtOnce(
        _ request: inout ConversationRequest, in context: ConversationContext
    ) throws -> Bool { false }
    public nonisolated(nonsending) func authorize(
        _ request: inout ConversationRequest, in context: ConversationContext
    ) async throws {}
}
