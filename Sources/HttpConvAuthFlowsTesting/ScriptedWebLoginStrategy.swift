public import HttpConvAuthFlows
public import HttpConversation
import Synchronization

/// A scripted web login of any kind, in place of a user with a browser.
///
/// The script may wait for a gate of the test: the login stays open while the script runs.
public final class ScriptedWebLoginStrategy: WebLoginStrategy {
    /// A login that was opened.
    public struct Opened: Sendable {
        /// The requested login.
        public let login: WebLogin
        /// The session's cookies that were copied into the view.
        public let cookies: [Cookie]
    }

    private struct State {
        var opened: [Opened] = []
        var running = 0
        var peak = 0
    }

    private let script: @Sendable (Opened) async throws -> WebLoginOutcome
    private let state = Mutex(State())

    /// - Parameter script: plays the login on the pages; throws ``/HttpConvAuthFlows/WebLoginError`` if the login fails
    public init(_ script: @escaping @Sendable (Opened) async throws -> WebLoginOutcome) { self.script = script }

    /// The logins that were opened so far.
    public var opened: [Opened] { state.withLock { $0.opened } }
    /// The maximum number of logins that were open at the same time.
    public var peak: Int { state.withLock { $0.peak } }
    /// The number of logins that are open now.
    public var running: Int { state.withLock { $0.running } }

    public func perform(_ login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome {
        let opened = Opened(login: login, cookies: login.cookiesToBring(from: context.session.cookies))
        state.withLock { state in
            state.opened.append(opened)
            state.running += 1
            state.peak = max(state.peak, state.running)
        }
        defer { state.withLock { $0.running -= 1 } }
        return try await script(opened)
    }
}
