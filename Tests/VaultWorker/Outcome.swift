import HTTPTypes
import HttpConvAuthFlows
package import HttpConversation

/// The result of a conversation in these tests; also the exit status of a worker.
package enum Outcome: Int32, Sendable {
    case succeeded = 0
    case failed = 1
    /// An error that asks for a login.
    case loginNeeded = 42

    /// Sends a GET.
    package static func of(_ manager: HttpConversationManager, _ url: String) async -> Outcome {
        do {
            return try await manager.data(for: HTTPRequest(.get, url)).status == .ok ? .succeeded : .failed
        } catch {
            let cause = error.underlyingError as? OAuth2Error
            return cause?.code == .noWebStrategy && cause?.message.contains("log in") == true ? .loginNeeded : .failed
        }
    }
}
