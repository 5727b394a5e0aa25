import HttpConversation

/// Discards the body, which is not needed and may be large.
struct HeadOnly: ResponseFilter {
    func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
        .replace(ReplacementResponse(head: response.head, body: []))
    }
}
