package import HttpC
import Synchronization

/// The last 401 of the conversations of a manager. It explains the failure, or tells which logins a server accepts.
package final class LastUnauthorized: ResponseFilter {
    private let seen = Mutex<(head: HTTPResponse, url: TargetURL)?>(nil)

    package init() {}

    package var answer: (head: HTTPResponse, url: TargetURL)? { seen.withLock { $0 } }

    package func concerns(_ head: HTTPResponse, in context: ConversationContext) -> Bool {
        head.status == .unauthorized
    }

    package func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        seen.withLock { $0 = (response.head, response.target) }
        return .proceed
    }
}
