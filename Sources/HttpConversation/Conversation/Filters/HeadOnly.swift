/// Discards the body, which is not needed and may be large.
package struct HeadOnly: ResponseFilter {
    package init() {}

    package func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        .replace(ReplacementResponse(head: response.head, body: []))
    }
}
