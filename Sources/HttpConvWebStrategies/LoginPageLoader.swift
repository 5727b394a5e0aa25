import HTTPTypes
import HttpConvAuthFlows
import HttpConversation

/// Loads what the pages of a login ask for, in child conversations of the one that needs the login: over its transport,
/// with its client certificates and its providers of passwords. Redirects are for who shows the pages.
struct LoginPageLoader: Sendable {
    let login: WebLogin
    let context: ConversationContext
    /// The largest body, in bytes.
    let limit: Int

    /// - Parameters:
    ///   - session: has the cookies
    ///   - time: the most that the server may take; nil: what the conversation allows
    /// - Throws: ``WebLoginError``, whose underlying error is the conversation's; `CancellationError`
    func load(
        _ method: HTTPRequest.Method, _ target: TargetURL, fields: HTTPFields, body: RequestBody?,
        session: HttpSession, within time: Duration? = nil
    ) async throws -> ConversationResponse {
        do throws(ConversationError) {
            return try await context.start(HTTPRequest(method, target, fields: fields), body: body) {
                configure(&$0, session)
                if let time { $0.networkTimeout = min($0.networkTimeout ?? time, time) }
            }
        } catch {
            try Task.checkCancellation()
            if error.code == .cancelled { throw WebLoginError(.cancelled, "The \(login) was cancelled.") }
            throw WebLoginError(
                .pageFailed, "A page of the \(login) at \(target.origin) could not be loaded. \(error.message)",
                underlyingError: error)
        }
    }

    /// Of the parent's filters the one for user names and passwords: others would log in here.
    private func configure(_ child: inout HttpConversationManager.Configuration, _ session: HttpSession) {
        child.session = session
        child.redirects.follows = false
        child.maximumBufferedBytes = limit
        child.decompresses = true
        for filter in context.configuration.challengeFilters.all(of: UsernamePasswordFilter.self) {
            child.challengeFilters.add(filter)
        }
    }
}
