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
    /// Whether only text is read. The end of a login may be a resource of any kind and size.
    var readsTextOnly = false

    /// - Parameters:
    ///   - session: the session with the cookies
    ///   - isAnonymous: whether the server gets no password; such a session has no certificates
    ///   - time: the time limit for the server; nil: the conversation's limit
    /// - Throws: ``WebLoginError``, whose underlying error is the conversation's; `CancellationError`
    func load(
        _ method: HTTPRequest.Method, _ target: TargetURL, fields: HTTPFields, body: RequestBody?,
        session: HttpSession, isAnonymous: Bool = false, within time: Duration? = nil
    ) async throws -> ConversationResponse {
        do throws(ConversationError) {
            return try await context.start(HTTPRequest(method, target, fields: fields), body: body) {
                configure(&$0, session)
                if !isAnonymous { answerPasswords(&$0) }
                if let time { $0.limitNetworkTime(to: time) }
            }
        } catch {
            try Task.checkCancellation()
            if error.code == .cancelled { throw WebLoginError(.cancelled, "The \(login) was cancelled.") }
            throw WebLoginError(
                .pageFailed, "A page of the \(login) at \(target.origin) could not be loaded. \(error.message)",
                underlyingError: error)
        }
    }

    private func configure(_ child: inout HttpConversationManager.Configuration, _ session: HttpSession) {
        child.session = session
        child.redirects.follows = false
        child.maximumBufferedBytes = limit
        child.decompresses = true
        if readsTextOnly { child.responseFilters.add(TextOnly()) }
    }

    /// Drops the body of a response unless it is text.
    private struct TextOnly: ResponseFilter {
        func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
            guard let type = response.headerFields[.contentType]?.lowercased(), !type.hasPrefix("text/"),
                !type.hasPrefix("application/xhtml+xml")
            else { return .proceed }
            return .replace(ReplacementResponse(head: response.head, body: []))
        }
    }

    /// Adds the parent's filter for user names and passwords, and no other, because others would start logins here.
    private func answerPasswords(_ child: inout HttpConversationManager.Configuration) {
        for filter in context.configuration.challengeFilters.all(of: UsernamePasswordFilter.self) {
            child.challengeFilters.add(filter)
        }
    }
}
