import HTTPTypes
public import HttpConversation

extension ReceivedResponse {
    /// A response as filters get it. Its body arrives as the answer says.
    ///
    /// - Parameters:
    ///   - answer: the scripted answer; this function waits for its delay
    ///   - request: the answered request; nil: a request for `https://example.com/`
    ///   - clock: measures the pauses of the answer, and the time that a filter waits for a look into the body
    /// - Throws: the failure of the answer
    public static func testing(
        _ answer: ScriptedTransport.Answer, to request: ConversationRequest? = nil,
        clock: any Clock<Duration> & Sendable = ContinuousClock()
    ) async throws(ConversationError) -> ReceivedResponse {
        var answered = try ConversationRequest.testing()
        if let request { answered = request }
        let context = try ConversationContext.testing(answered.target.absoluteString, unless: answered.context)
        answered.context = context
        let response = try await answer.response(clock)
        return ReceivedResponse(
            request: answered, head: response.head, context: context, body: response.body,
            peekTimeout: context.configuration.peekTimeout, clock: clock)
    }
}

extension ConversationResponse {
    /// A final response as a manager returns it, after one attempt.
    ///
    /// - Parameters:
    ///   - answer: the scripted answer; this function reads its body
    ///   - url: the URL of the response
    ///   - context: nil makes one for `url`
    /// - Throws: the failure of the answer
    public static func testing(
        _ answer: ScriptedTransport.Answer, from url: String = "https://example.com/",
        in context: ConversationContext? = nil, clock: any Clock<Duration> & Sendable = ContinuousClock()
    ) async throws(ConversationError) -> ConversationResponse {
        let target = try TargetURL(url)
        let context = try ConversationContext.testing(url, unless: context)
        let response = try await answer.response(clock)
        let attempt = AttemptRecord(
            number: 1, target: target, reason: AttemptRecord.firstReason, status: response.head.status.code)
        return ConversationResponse(
            head: response.head,
            bytes: try await response.body.collect(upTo: context.configuration.maximumBufferedBytes),
            url: target, context: context, attempts: [attempt])
    }
}
