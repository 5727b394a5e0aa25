import HTTPTypes
import HttpConvAuthFlows
package import HttpConversation

/// How a conversation ended, as far as these tests care; also the exit status of a worker.
package enum Outcome: Int32, Sendable {
    case succeeded = 0
    case failed = 1
    /// An error that says that somebody has to log in.
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
