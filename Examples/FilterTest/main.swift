// Tests a filter of your own without a server, a network or a manager.
import HttpConversation
import HttpConversationTesting

struct SessionRenewal: ResponseFilter {
    func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
        let start = String(decoding: try await response.peek(upTo: 256), as: UTF8.self)
        return start.contains("session expired") ? .restart(reason: "the session had expired") : .proceed
    }
}

for (page, restarts) in [("Your session expired.", true), ("Good morning.", false)] {
    let response = try await ReceivedResponse.testing(.init(.ok, body: page))
    if case .restart = try await SessionRenewal().inspect(response, in: response.context) {
        precondition(restarts)
    } else {
        precondition(!restarts)
    }
}
print("The filter does what it should.")
