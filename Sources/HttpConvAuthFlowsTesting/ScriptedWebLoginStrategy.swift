public import HttpConvAuthFlows
public import HttpConversation
import Synchronization

/// A web login of any kind that a test writes down instead of a person with a browser.
///
/// The script may wait for a gate of the test's: the login is open as long as it runs.
public final class ScriptedWebLoginStrategy: WebLoginStrategy {
    /// A login that was opened.
    public struct Opened: Sendable {
        /// What was asked for.
        public let login: WebLogin
        /// The session's cookies that went into the view.
        public let cookies: [Cookie]
    }

    private struct State {
        var opened: [Opened] = []
        var running = 0
        var peak = 0
    }

    private let script: @Sendable (Opened) async throws -> WebLoginOutcome
    private let state = Mutex(State())

    /// - Parameter script: what happens on the pages; throws ``/HttpConvAuthFlows/WebLoginError`` where the login fails
    public init(_ script: @escaping @Sendable (Opened) async throws -> WebLoginOutcome) { self.script = script }

    /// What was opened so far.
    public var opened: [Opened] { state.withLock { $0.opened } }
    /// How many logins were open at the same time, at most.
    public var peak: Int { state.withLock { $0.peak } }
    /// How many logins are open now.
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
