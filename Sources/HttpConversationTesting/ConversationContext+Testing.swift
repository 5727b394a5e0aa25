public import HTTPTypes
public import HttpConversation

extension ConversationContext {
    /// A context as filters get it: of a conversation for `url`, by a manager with this configuration.
    ///
    /// - Parameter transport: answers the filter's own requests; nil answers each with an empty 200
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidURL``
    public static func testing(
        _ url: String = "https://example.com/", configuration: HttpConversationManager.Configuration = .init(),
        transport: (any HTTPTransport)? = nil
    ) throws(ConversationError) -> ConversationContext {
        let transport = transport ?? ScriptedTransport { _, _ in .init(.ok) }
        return HttpConversationManager(transport: transport, configuration: configuration)
            .detachedContext(for: try TargetURL(url))
    }

    /// The given context, or one for `url`.
    static func testing(
        _ url: String, unless context: ConversationContext?
    ) throws(ConversationError) -> ConversationContext {
        if let context { return context }
        return try testing(url)
    }
}

extension ConversationRequest {
    /// A request as filters get it.
    ///
    /// - Parameter context: nil makes one for `url`
    public static func testing(
        _ method: HTTPRequest.Method = .get, _ url: String = "https://example.com/", _ fields: HTTPFields = [:],
        body: RequestBody? = nil, in context: ConversationContext? = nil
    ) throws(ConversationError) -> ConversationRequest {
        var request = try ConversationRequest(
            method: method, target: try TargetURL(url), headerFields: fields, body: body)
        request.context = try .testing(url, unless: context)
        return request
    }
}
