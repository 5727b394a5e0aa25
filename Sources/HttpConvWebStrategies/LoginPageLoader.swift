import HTTPTypes
import HttpConvAuthFlows
import HttpConversation

/// Loads the pages of a login and their resources, in child conversations of the one that needs the login: over its
/// transport, with its client certificates and its providers of passwords. The caller handles redirects.
struct LoginPageLoader: Sendable {
    let login: WebLogin
    let context: ConversationContext
    /// The largest body, in bytes.
    let limit: Int

    /// - Parameters:
    ///   - session: the session with the cookies
    ///   - time: the time limit for the server; nil: the conversation's limit
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

    /// Keeps only the parent's filter for user names and passwords, because its others would start logins here.
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
